import { hash } from 'node:crypto';
import { escapeHtml } from '../../lib/html.ts';
import type { ReceiptRow } from '../receipt.ts';
import { shownAs, signedPayload } from './on-page.ts';

/** A receipt as a page that verifies its own signature in the browser. */
export function renderReceiptPage({ signature, ...signed }: ReceiptRow): string {
  const rows = Object.entries(signed).map(
    ([name, value]) =>
      `<tr><th scope="row">${escapeHtml(name)}</th><td data-field="${escapeHtml(name)}">${escapeHtml(shownAs(value))}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Receipt ${escapeHtml(signed.receipt_id)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Receipt</h1>
<p>This gateway made a call to a model and signed a record of it. The texts themselves are not stored: anyone who
has the request and the answer can compare their hashes.</p>
<p id="verdict" role="status" class="open">Your browser is checking the signature.</p>
<table>
${rows.join('\n')}
</table>
<h2>Signature</h2>
<p>A compact JWS (EdDSA) over all of the above, for the key <code>${escapeHtml(signed.key_id)}</code> of
<a href="../../.well-known/jwks.json">/.well-known/jwks.json</a>.</p>
<pre id="jws">${escapeHtml(signature)}</pre>
</main>
<script>${script}</script>
</body>
</html>
`;
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
th { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0; font-weight: 600; white-space: nowrap; }
td, pre { font-family: ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
#verdict { border-left: .4rem solid; padding: .4rem .8rem; }
.open { border-color: #888; } .good { border-color: #1a7f37; } .bad { border-color: #c62828; font-weight: 600; }
`;

/** Compares the shown values with the signed ones. */
const script = `
${signedPayload}
${shownAs}
(async () => {
  const verdict = document.getElementById('verdict');
  const say = (text, how) => { verdict.textContent = text; verdict.className = how; };
  try {
    const answer = await fetch('../../.well-known/jwks.json');
    const { keys } = await answer.json();
    const signed = await signedPayload(document.getElementById('jws').textContent, keys);
    const cells = [...document.querySelectorAll('[data-field]')];
    const isShown = signed !== undefined && Object.keys(signed).length === cells.length &&
      cells.every((cell) => cell.textContent === shownAs(signed[cell.getAttribute('data-field')]));
    if (isShown) say('The signature is valid, and what you see is what was signed.', 'good');
    else say('The signature is NOT valid for what you see.', 'bad');
  } catch (fault) {
    say('Your browser could not check the signature here (' + fault + ').', 'open');
  }
})();
`;

/** Allows only the inline script and style above. */
export const receiptPageCsp = [
  "default-src 'none'",
  `script-src 'sha256-${hash('sha256', script, 'base64')}'`,
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
