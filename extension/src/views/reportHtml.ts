/** The frame of the report's page as a webview: what it may load, and nothing else. */

export interface PageUris {
  readonly script: string;
  readonly style: string;
  /** What `Webview.cspSource` names. */
  readonly source: string;
  /** Fresh for every page. */
  readonly nonce: string;
  /** Of the texts, for screen readers. */
  readonly language: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);

export function reportHtml({ script, style, source, nonce, language }: PageUris): string {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${source}`;
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escaped(style)}">
<title>Stepscope</title>
</head>
<body>
<div id="report"></div>
<script nonce="${escaped(nonce)}" src="${escaped(script)}"></script>
</body>
</html>`;
}
