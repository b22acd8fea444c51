// The search runs in a Worker, and a browser starts none for a page that is opened from the file system. There, a frame
// that nobody sees runs the same script. Material asks for the name IFrameWorker to know where it is.
if (location.protocol === "file:") {
  const load = (frame, address) => new Promise((loaded, failed) => {
    const script = frame.contentDocument.createElement("script")
    Object.assign(script, { src: address, onload: loaded, onerror: () => failed(new Error(`cannot load ${address}`)) })
    frame.contentDocument.body.append(script)
  })
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super()
      const whole = new URL(address, document.baseURI)
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.append(this.frame)
      const inside = this.frame.contentWindow
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
      inside.importScripts = async (...scripts) => {
        for (const script of scripts) await load(this.frame, new URL(script, whole))
      }
      this.ready = load(this.frame, whole)
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })))
    }

    terminate() {
      this.frame.remove()
    }
  }
}
