/** Where the page begins: the report comes with the page, or in a message. */
import { render } from 'preact';
import { checkReport } from '../reportShape';
import { App, Missing } from './app';
import { connect } from './host';
import type { PageState, ToPage } from './messages';
import { Page } from './page';
import type { PageReport } from './model/page';
import { text, setTexts } from './strings';
import { followTheme } from './theme';
import './style/index.css';

const host = connect();
const root = document.getElementById('report') ?? document.body;
let page: Page | undefined;

function show(report: PageReport, state: PageState): void {
  page = new Page(report, state, host);
  document.title = text('reportOf', page.title);
  // A key of its own: nothing of an earlier report's selection may stay.
  if (state.focus) page.focus(state.focus);
  render(<App key={String(page.id)} page={page} />, root);
}

function receive(message: ToPage): void {
  switch (message.kind) {
    case 'report':
    case 'missing':
      setTexts(message.strings);
      if (message.state.source) host.remember(message.state.source);
      if (message.kind === 'report') show(message.report, message.state);
      else render(<Missing message={message.message} state={message.state} host={host} />, root);
      return;
    case 'focus':
      page?.focus(message);
      return;
    case 'stale':
      page?.setStale(message.files);
      return;
  }
}

/** A page of its own has the report inside. It may come from anywhere, so its shape is checked. */
function showOwn(data: string): void {
  const report: unknown = JSON.parse(data);
  const wrong = checkReport(report);
  if (wrong !== null) throw new Error(wrong);
  show(report as PageReport, {});
}

followTheme();
const own = document.getElementById('report-data');
if (own) {
  try {
    showOwn(own.textContent);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    render(<Missing message={message} state={{}} host={host} />, root);
  }
} else {
  window.addEventListener('message', (event: MessageEvent<ToPage>) => {
    receive(event.data);
  });
  host.send?.({ kind: 'ready' });
}
