/** What a person does with VS Code and sees there, in words: the only file that knows its page. */
import path from 'node:path';
import { eventually, until } from './until.mjs';

const TOAST = '.notifications-toasts .notification-list-item';
const plain = (text) => text.replaceAll('\u00a0', ' ').replaceAll('\u200c', '');

export class Workbench {
  constructor(page, shots) {
    this.page = page;
    this.shots = shots;
    // Far above what anything needs on a busy machine: only what hangs fails.
    page.setDefaultTimeout(60_000);
  }

  async open(url) {
    await this.page.addInitScript(recordNotifications, TOAST);
    await this.page.goto(url, { waitUntil: 'domcontentloaded' });
    await this.page.locator('.editor-instance .view-line').first().waitFor();
  }

  async shot(name) {
    await this.page.screenshot({ path: path.join(this.shots, `${name}.png`) });
  }

  /** Run a command by its full title, for example "Stepscope: Clear annotations". */
  async command(title) {
    await this.page.keyboard.press('F1');
    const input = this.page.locator('.quick-input-widget input').first();
    await input.waitFor({ state: 'visible' });
    await input.fill(`>${title}`);
    const rows = this.page.locator('.quick-input-list .monaco-list-row');
    await rows
      .filter({ has: this.page.getByText(title, { exact: true }) })
      .first()
      .click();
  }

  /** Open a file of the workspace by its name. */
  async openFile(name) {
    await this.page.keyboard.press('Control+p');
    const input = this.page.locator('.quick-input-widget input').first();
    await input.waitFor({ state: 'visible' });
    const row = this.page
      .locator('.quick-input-list .monaco-list-row', { hasText: path.basename(name) })
      .first();
    // A file that has just been made is not found at once.
    await eventually(async () => {
      await input.fill('');
      await input.fill(name);
      await row.waitFor({ timeout: 2_000 });
    });
    await row.click();
    await this.page.locator('.tab.active', { hasText: path.basename(name) }).waitFor();
    await this.page.locator('.editor-instance .monaco-editor.focused').waitFor();
  }

  /** Choose `title` in the menu of the file `name` in the explorer. */
  async chooseInExplorer(name, title) {
    await this.command('File: Focus on Files Explorer');
    const row = this.page
      .locator('.explorer-folders-view .monaco-list-row')
      .filter({ has: this.page.getByText(name, { exact: true }) })
      .first();
    await row.click({ button: 'right' });
    const entry = this.page.locator('.monaco-menu .action-label', { hasText: title }).first();
    // A menu that is still opening takes no click.
    await entry.waitFor();
    await eventually(async () => {
      if (await entry.isVisible()) await entry.click();
      await entry.waitFor({ state: 'hidden', timeout: 2_000 });
    });
  }

  /** Click the lens `title` that stands above the line with the text `above`. */
  async clickLens(title, above) {
    await until(`a lens "${title}" above "${above}"`, async () => {
      const lenses = await this.codeLenses();
      return lenses.some((lens) => lens.title.includes(title) && lens.above?.includes(above));
    });
    const lenses = await this.codeLenses();
    const row = lenses.findIndex(
      (lens) => lens.title.includes(title) && lens.above?.includes(above),
    );
    await this.page
      .locator('.editor-instance .codelens-decoration:visible')
      .nth(row)
      .locator('a', { hasText: title })
      .first()
      .click();
  }

  /** Put the cursor at the start of the text of `line` (1-based) and scroll there. */
  async goTo(line) {
    await this.page.locator('.editor-instance .view-lines').first().waitFor();
    await this.page.keyboard.press('Control+g');
    const input = this.page.locator('.quick-input-widget input').first();
    await input.waitFor({ state: 'visible' });
    await input.fill(`:${line}`);
    await this.page.keyboard.press('Enter');
    await input.waitFor({ state: 'hidden' });
    await this.page.locator(`.line-numbers.active-line-number`, { hasText: `${line}` }).waitFor();
    // The focus comes back a moment later; keys pressed before that go nowhere.
    await this.page.locator('.editor-instance .monaco-editor.focused').waitFor();
  }

  /** `{ number: text }` of the lines on the screen; an inlay hint is part of the text. */
  async visibleLines() {
    const lines = await this.page.evaluate(() => {
      const editor = document.querySelector('.editor-instance');
      const top = (element) => Math.round(element.getBoundingClientRect().top);
      const numbers = new Map();
      for (const element of editor.querySelectorAll('.margin .line-numbers')) {
        numbers.set(top(element.parentElement), Number(element.textContent));
      }
      return [...editor.querySelectorAll('.view-lines .view-line')]
        .filter((element) => numbers.has(top(element)))
        .map((element) => [numbers.get(top(element)), element.textContent]);
    });
    return new Map(lines.map(([number, text]) => [number, plain(text)]));
  }

  /**
   * `Map(line -> hint)` of the whole file, whose text is `source`. The window is made tall enough
   * to show every line, so that the editor asks for all hints at once; the answer is there when
   * each line of `expected` has one.
   */
  async inlayHints(source, expected) {
    const rows = source.split('\n');
    const before = this.page.viewportSize();
    await this.page.setViewportSize({ width: before.width, height: rows.length * 20 + 400 });
    const read = async () => {
      const hints = new Map();
      for (const [number, text] of await this.visibleLines()) {
        const hint = hintOf(text, rows[number - 1] ?? '');
        if (hint) hints.set(number, hint);
      }
      return hints;
    };
    try {
      await this.goTo(1);
      await until(`hints on the lines ${expected.join(', ')}`, async () => {
        const hints = await read();
        return expected.every((line) => hints.has(line));
      });
      await this.idle();
      return await read();
    } finally {
      await this.page.setViewportSize(before);
    }
  }

  /** Wait until the text of the editor has stopped changing. */
  async idle() {
    await this.page.evaluate(
      () =>
        new Promise((resolve) => {
          const quiet = 400;
          let timer = setTimeout(resolve, quiet);
          new MutationObserver(() => {
            clearTimeout(timer);
            timer = setTimeout(resolve, quiet);
          }).observe(document.querySelector('.editor-instance .view-lines'), {
            childList: true,
            characterData: true,
            subtree: true,
          });
        }),
    );
  }

  /** Wait until `line`, which reads `source`, has a hint; returns it. */
  async hintAt(line, source) {
    await this.goTo(line);
    const handle = await this.page.waitForFunction(
      ([number, text]) => {
        const editor = document.querySelector('.editor-instance');
        const top = (element) => Math.round(element.getBoundingClientRect().top);
        const label = [...editor.querySelectorAll('.margin .line-numbers')].find(
          (element) => Number(element.textContent) === number,
        );
        if (!label) return null;
        const row = [...editor.querySelectorAll('.view-lines .view-line')].find(
          (element) => top(element) === top(label.parentElement),
        );
        const shown = row?.textContent.replaceAll('\u00a0', ' ') ?? '';
        return shown.length > text.length ? shown : null;
      },
      [line, source],
      { timeout: 60_000 },
    );
    return hintOf(plain(await handle.jsonValue()), source);
  }

  /** The text of the hover over the first word of `line`. */
  async hover(line) {
    await this.goTo(line);
    const box = await this.page.evaluate((number) => {
      const editor = document.querySelector('.editor-instance');
      const label = [...editor.querySelectorAll('.margin .line-numbers')].find(
        (element) => Number(element.textContent) === number,
      );
      const top = label.parentElement.getBoundingClientRect().top;
      const row = [...editor.querySelectorAll('.view-lines .view-line')].find(
        (element) => Math.abs(element.getBoundingClientRect().top - top) < 2,
      );
      const range = document.createRange();
      const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
      let node = walker.nextNode();
      while (node && !/[^\s\u00a0]/.test(node.data)) node = walker.nextNode();
      const start = node.data.search(/[^\s\u00a0]/);
      range.setStart(node, start);
      range.setEnd(node, start + 1);
      const { x, y, width, height } = range.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    }, line);
    await this.page.mouse.move(5, 5);
    await this.page.mouse.move(box.x, box.y, { steps: 4 });
    const hover = this.page.locator('.monaco-hover:visible .hover-contents', { hasText: /\S/ });
    await hover.first().waitFor();
    return plain((await hover.allInnerTexts()).join('\n'));
  }

  /** Follow a link of the hover that is open. */
  async clickInHover(text) {
    await this.page.locator('.monaco-hover:visible a', { hasText: text }).first().click();
  }

  /** How many marks the extension has drawn in the gutter of the editor. */
  marks() {
    return this.page.evaluate(
      () =>
        [...document.querySelectorAll('.editor-instance .glyph-margin-widgets .cgmr')].filter(
          (element) => getComputedStyle(element).backgroundImage.includes('data:image/svg'),
        ).length,
    );
  }

  async leaveHover() {
    await this.page.mouse.move(5, 5);
    await this.page.keyboard.press('Escape');
    await this.page.locator('.monaco-hover:visible').waitFor({ state: 'hidden' });
  }

  /** Wait for the first lens: the server answers. */
  async lens() {
    await this.page.locator('.codelens-decoration a').first().waitFor({ state: 'attached' });
  }

  /** The lenses on the screen now, each with the text of the line under it. */
  codeLenses() {
    return this.page.evaluate(() => {
      const editor = document.querySelector('.editor-instance');
      const rows = [...editor.querySelectorAll('.view-lines .view-line')].map((element) => ({
        top: element.getBoundingClientRect().top,
        text: element.textContent.replaceAll('\u00a0', ' '),
      }));
      rows.sort((a, b) => a.top - b.top);
      return [...editor.querySelectorAll('.codelens-decoration')]
        .filter((element) =>
          element.querySelector('a, span')?.checkVisibility({ visibilityProperty: true }),
        )
        .map((element) => {
          const { bottom } = element.getBoundingClientRect();
          return {
            title: element.textContent.replaceAll('\u00a0', ' '),
            above: rows.find(({ top }) => top >= bottom - 4)?.text,
          };
        });
    });
  }

  /** Open the Problems view and return the rows that have an entry with this source. */
  async problems(text) {
    await this.command('Problems: Focus on Problems View');
    const rows = this.page.locator('.markers-panel .monaco-list-row', { hasText: text });
    await rows.first().waitFor();
    return (await rows.allInnerTexts()).map((row) => plain(row).replaceAll('\n', ' '));
  }

  async noProblems(text) {
    await this.command('Problems: Focus on Problems View');
    await this.page.locator('.markers-panel').waitFor();
    await this.page
      .locator('.markers-panel .monaco-list-row', { hasText: text })
      .first()
      .waitFor({ state: 'detached' });
  }

  async closePanel() {
    await this.command('View: Hide Panel');
    await this.page.locator('.part.panel').waitFor({ state: 'hidden' });
  }

  async focusEditor() {
    await this.command('View: Focus Active Editor Group');
  }

  /** Open the light bulb's menu on `line`; returns the titles. */
  async openQuickFixes(line) {
    await this.focusEditor();
    await this.goTo(line);
    const rows = this.page.locator('.action-widget .monaco-list-row.action');
    // The menu closes by itself when the editor is told something new while it opens.
    await eventually(async () => {
      await this.page.keyboard.press('Control+.');
      await rows.first().waitFor({ timeout: 5_000 });
    });
    return (await rows.allInnerTexts()).map((row) => plain(row).trim());
  }

  async chooseQuickFix(title) {
    await this.page
      .locator('.action-widget .monaco-list-row.action', { hasText: title })
      .first()
      .click();
  }

  notification(text) {
    return this.page.locator(TOAST, { hasText: text }).first();
  }

  /** Wait for a notification with `text`; returns all it says. */
  async notified(text, timeout = 60_000) {
    const toast = this.notification(text);
    await toast.waitFor({ timeout });
    return plain(await toast.innerText());
  }

  async gone(text, timeout = 120_000) {
    await this.notification(text).waitFor({ state: 'detached', timeout });
  }

  async pressInNotification(text, button) {
    const toast = this.notification(text);
    await toast.hover();
    await toast.locator('.notification-list-item-buttons-container a', { hasText: button }).click();
  }

  async clearNotifications() {
    await this.command('Notifications: Clear All Notifications');
    await this.page.locator(TOAST).first().waitFor({ state: 'detached' });
  }

  /** Every text that a notification has shown since the page was opened, in order. */
  async notificationTexts() {
    return (await this.page.evaluate(() => globalThis.stepscopeNotifications)).map(plain);
  }
}

/** The hint behind the source text of a line; "" where there is none. */
function hintOf(shown, source) {
  const text = source.trimEnd();
  if (!shown.startsWith(text)) return `unexpected text: ${shown}`;
  return shown.slice(text.length).trim();
}

/** Runs in the page: a progress changes its text too fast for asking from outside. */
function recordNotifications(selector) {
  const texts = (globalThis.stepscopeNotifications = []);
  const look = () => {
    for (const toast of document.querySelectorAll(selector)) {
      const text = toast.innerText;
      if (texts.at(-1) !== text) texts.push(text);
    }
  };
  document.addEventListener('DOMContentLoaded', () => {
    new MutationObserver(look).observe(document.body, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
}
