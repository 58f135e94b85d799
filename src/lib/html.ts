import { hash } from 'node:crypto';

/** Escapes a text for HTML, including attribute values. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

interface HtmlPage {
  readonly title: string;
  /** The address of the dashboard, relative to the page. */
  readonly home: string;
  /** In addition to that of all pages. */
  readonly style?: string;
  readonly body: string;
  readonly script?: string;
}

/** A standalone page of the gateway, in the look of the dashboard. */
export function htmlPage({ title, home, style = '', body, script }: HtmlPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Weir</title>
<style>${commonStyle}${style}</style>
</head>
<body>
<header><a href="${escapeHtml(home)}">${mark} Weir</a></header>
<main>
${body}
</main>
${script === undefined ? '' : `<script>${script}</script>\n`}</body>
</html>
`;
}

/** The content security policy of a page with this style and script: nothing else is allowed. */
export function htmlPagePolicy({
  style = '',
  script,
  takesForms = false,
}: Pick<HtmlPage, 'style' | 'script'> & { readonly takesForms?: boolean }): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', commonStyle + style, 'base64')}'`,
    ...(script === undefined
      ? []
      : [`script-src 'sha256-${hash('sha256', script, 'base64')}'`, "connect-src 'self'"]),
    "base-uri 'none'",
    `form-action ${takesForms ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ].join('; ');
}

const mark =
  '<svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#0d6e7a"/><g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"><path d="M6 12c3.3-3 6.7-3 10 0s6.7 3 10 0"/><path d="M6 20c3.3-3 6.7-3 10 0s6.7 3 10 0" opacity=".62"/></g></svg>';

const commonStyle = `
:root { color-scheme: light dark; font: 14px/1.5 Inter, ui-sans-serif, system-ui, sans-serif;
  --canvas: light-dark(#fbfcfc, #0e1214); --surface: light-dark(#fff, #14191c); --line: light-dark(#e1e6e8, #262e32);
  --ink: light-dark(#14202a, #e8eef0); --muted: light-dark(#55646d, #9babb3);
  --accent: light-dark(#0b6b77, #4fc3d0); --on-accent: light-dark(#fff, #06262b);
  --good: light-dark(#14713d, #5cc98b); --bad: light-dark(#b3261e, #f08a80); }
body { margin: 0; background: var(--canvas); color: var(--ink); }
header { padding: 1rem 1.25rem; }
header a { display: inline-flex; align-items: center; gap: .6rem; color: inherit; font-weight: 600; text-decoration: none; }
main { max-width: 44rem; margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 .75rem; }
h2 { font-size: .95rem; margin: 1.5rem 0 .25rem; }
a { color: var(--accent); }
label { display: block; margin: 1rem 0; }
input, button { font: inherit; padding: .45rem .75rem; border-radius: 6px; }
input { display: block; width: 100%; box-sizing: border-box; margin-top: .3rem; border: 1px solid var(--line);
  background: var(--surface); color: inherit; }
button { border: 0; background: var(--accent); color: var(--on-accent); font-weight: 500; cursor: pointer; }
button:disabled { opacity: .6; cursor: not-allowed; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
pre, code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .92em; overflow-wrap: anywhere; }
.quiet { color: var(--muted); }
`;
