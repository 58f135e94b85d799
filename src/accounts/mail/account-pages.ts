import type { TokenPurpose } from '../../kernel/ports/sessions.ts';
import { escapeHtml, htmlPage, htmlPagePolicy } from '../../lib/html.ts';

const pageTexts: Readonly<
  Record<
    TokenPurpose,
    { readonly title: string; readonly form: string; readonly done: string; readonly to: string }
  >
> = {
  verify: {
    title: 'Confirm your address',
    form: `<p id="stranger" hidden>You are not logged in here. <a href="../login">Log in</a> and open the link again to keep your
password and provider keys. If you go on without, they end, and you <a href="../forgotten">set a new password</a>.</p>
<button>Confirm e-mail</button>`,
    done: 'Your address is confirmed. If it was not confirmed before, earlier API keys and sessions have been revoked.',
    to: '../v1/users/verify',
  },
  reset: {
    title: 'Set a new password',
    form: `<label>New password <input name="password" type="password" autocomplete="new-password" minlength="8" maxlength="256" required></label>
<button>Set password</button>`,
    done: 'Your new password is set. Log in with it. If your address was not confirmed before, earlier API keys and provider keys have been deleted.',
    to: '../v1/users/password-reset/confirm',
  },
};

/** The target page of a mailed link. Nothing happens before the user presses the button, because programs open links, too. */
export function accountPage(purpose: TokenPurpose): string {
  const { title, form, done, to } = pageTexts[purpose];
  return htmlPage({
    title,
    home: '../',
    style,
    script,
    body: `<h1>${escapeHtml(title)}</h1>
<form data-to="${escapeHtml(to)}" data-done="${escapeHtml(done)}">
${form}
</form>
<p id="said" role="status"></p>
<p id="on" hidden><a href="../">Log in</a></p>`,
  });
}

const style = 'main { max-width: 26rem; }';

/** Removes the token from the address bar at once, so that it stays in no history. */
const script = `
const form = document.querySelector('form');
const said = document.getElementById('said');
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
history.replaceState(null, '', location.pathname);
const stranger = document.getElementById('stranger');
if (stranger !== null)
  fetch('../v1/users/me').then((answer) => { stranger.hidden = answer.status !== 401; }, () => undefined);
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  form.querySelector('button').disabled = true;
  const fields = Object.fromEntries(new FormData(form));
  try {
    const answer = await fetch(form.dataset.to, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...fields, token }),
    });
    if (answer.ok) {
      form.hidden = true;
      said.textContent = form.dataset.done;
      document.getElementById('on').hidden = false;
      return;
    }
    said.textContent = (await answer.json()).error.message;
  } catch {
    said.textContent = 'The request failed; try again.';
  }
  form.querySelector('button').disabled = false;
});
`;

export const accountPagePolicy = htmlPagePolicy({ style, script });
