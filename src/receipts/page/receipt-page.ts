import { escapeHtml, htmlPage, htmlPagePolicy } from '../../lib/html.ts';
import type { ReceiptRow } from '../receipt.ts';
import { shownAs, signedPayload } from './on-page.ts';

/** A receipt as a page that verifies its own signature in the browser. */
export function renderReceiptPage({ signature, ...signed }: ReceiptRow): string {
  const rows = Object.entries(signed).map(
    ([name, value]) =>
      `<tr><th scope="row">${escapeHtml(name)}</th><td data-field="${escapeHtml(name)}">${escapeHtml(shownAs(value))}</td></tr>`,
  );
  return htmlPage({
    title: `Receipt ${signed.receipt_id}`,
    home: '../../',
    style,
    script,
    body: `<h1>Receipt</h1>
<p>This gateway made a call to a model or a tool and signed a record of it. The texts themselves are not stored: anyone who
has the request and the answer can compare their hashes.</p>
<p id="verdict" role="status" class="open">Your browser is checking the signature.</p>
<table>
${rows.join('\n')}
</table>
<h2>Signature</h2>
<p>A compact JWS (EdDSA) over all of the above, for the key <code>${escapeHtml(signed.key_id)}</code> of
<a href="../../.well-known/jwks.json">/.well-known/jwks.json</a>.</p>
<pre id="jws">${escapeHtml(signature)}</pre>`,
  });
}

const style = `
th { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0; font-weight: 500; color: var(--muted); white-space: nowrap; }
td, pre { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .92em; overflow-wrap: anywhere; white-space: pre-wrap; }
#verdict { border-left: 4px solid; padding: .4rem .8rem; background: var(--surface); }
.open { border-color: var(--line); } .good { border-color: var(--good); } .bad { border-color: var(--bad); font-weight: 600; }
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

export const receiptPageCsp = htmlPagePolicy({ style, script });
