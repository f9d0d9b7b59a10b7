/** A headless Chromium that reaches nothing but this machine. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { MARK } from './processes.mjs';

const VIEWPORT = { width: 1360, height: 860 };

export async function startBrowser({ editor, home, run, viewport = VIEWPORT }) {
  const { chromium } = createRequire(editor.playwright)('playwright-core');
  return chromium.launchPersistentContext(path.join(home, 'chromium'), {
    executablePath: editor.chromium,
    env: { ...process.env, HOME: home, [MARK]: run },
    headless: true,
    viewport,
    args: [
      // Chromium's sandbox refuses to run as root, which a CI job is.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-sync',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    ],
  });
}
