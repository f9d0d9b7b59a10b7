/** The tab with a report: a page inside two frames of the workbench. */

export class ReportTab {
  constructor(bench) {
    this.bench = bench;
    this.page = bench.page;
    // One that is hidden keeps its frame.
    const outer = bench.page.locator('iframe.webview.ready:visible').last();
    this.frame = outer.contentFrame().frameLocator('#active-frame');
  }

  /** Wait until a report of `title` is drawn. */
  async shown(title) {
    await this.frame.locator('main h1', { hasText: title }).waitFor();
  }

  section(id) {
    return this.frame.locator(`#${id}`);
  }

  /** A picture with this section on top. */
  async shot(name, id) {
    await this.section(id).evaluate((section) => {
      section.scrollIntoView({ block: 'start', behavior: 'instant' });
    });
    await this.frame.locator('body').evaluate(
      () =>
        new Promise((resolve) => {
          requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
        }),
    );
    await this.bench.shot(name);
  }
}
