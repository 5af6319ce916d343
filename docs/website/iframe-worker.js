// The search of the site is a worker, but browsers start no workers on pages opened from a disk.
// There, a hidden frame runs the worker's script instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      frame.srcdoc = `<script src="${url}"></script>`
      this.loaded = new Promise((resolve) => {
        frame.onload = () => {
          frame.contentWindow.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
          resolve(frame.contentWindow)
        }
      })
      document.body.append(frame)
    }

    async postMessage(data) {
      const inside = await this.loaded
      inside.dispatchEvent(new MessageEvent("message", { data }))
    }
  }
}
