// Makes parts of the page.
const element = (tag, properties, ...inside) => {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...inside)
  return made
}

const button = (label, face, onclick) =>
  element("button", { type: "button", title: label, ariaLabel: label, innerHTML: face, onclick })

const icon = path => `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`

const option = ([value, text]) => element("option", { value, textContent: text })

const choice = (label, options) => element("select", { ariaLabel: label, title: label }, ...options.map(option))
