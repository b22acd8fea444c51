/* While `mkdocs serve` runs: says that the last edit is not checked yet, and loads the page again
   once it turns out that something on it does not hold, or holds again, and once its figures are
   drawn anew. */
(() => {
  const own = document.currentScript.dataset;
  let box = null;
  const look = async () => {
    let status;
    try {
      status = await (await fetch(own.status, { cache: "no-store" })).json();
    } catch {
      return setTimeout(look, 3000);
    }
    if (!status.checked && !box) {
      box = document.createElement("div");
      box.textContent = own.words;
      box.setAttribute("role", "status");
      box.style.cssText =
        "position:fixed;right:1rem;bottom:1rem;z-index:9;padding:.3rem .8rem;border-radius:1rem;" +
        "font-size:.7rem;background:var(--md-default-fg-color--light);" +
        "color:var(--md-default-bg-color)";
      document.body.append(box);
    }
    if (status.checked) {
      box?.remove();
      box = null;
      const fails = status.failing.some((page) => location.pathname.endsWith(page));
      const shown = document.querySelector("article > .failure") !== null;
      const earlier = document.querySelector("[data-earlier]") !== null;
      if (fails !== shown || earlier) return location.reload();
    }
    setTimeout(look, status.checked ? 2000 : 300);
  };
  look();
})();
