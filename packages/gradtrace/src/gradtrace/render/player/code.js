// The files of the script, one of which is seen.
class CodePane {
  constructor(pane, label) {
    this.files = [...pane.querySelectorAll("pre")]
    if (this.files.length > 1) {
      this.select = choice(label, this.files.map(({ dataset }) => [dataset.file, dataset.file]))
      this.select.onchange = () => this.turn(this.file(this.select.value))
      pane.prepend(this.select)
    }
    this.turn(this.files[0])
  }

  // The script itself has no name in the steps.
  file(name) {
    return name ? this.files.find(one => one.dataset.file == name) : this.files[0]
  }

  turn(shown) {
    for (const file of this.files) file.hidden = file != shown
    if (this.select) this.select.value = shown.dataset.file
  }

  // The code of a file, which is turned to.
  code(name) {
    const file = this.file(name)
    if (file) this.turn(file)
    return file?.querySelector("code")
  }

  // A block may stand far down in a long file: the pane opens where the first step is.
  begin(steps) {
    const { line, file } = steps.find(step => step.line && !step.file) ?? steps.find(step => step.line) ?? {}
    const row = line && this.code(file)?.querySelectorAll(".code-line")[line - 1]
    if (!row) return
    const pre = row.closest("pre"), { offsetTop: top, offsetHeight: height } = row
    if (top + height > pre.clientHeight) pre.scrollTop = top - 3 * height
  }
}
