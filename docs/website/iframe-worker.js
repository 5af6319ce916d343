// Browsers start no worker of a page that lies on a disk, and the search is one. There a hidden
// frame does what the worker would.
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
