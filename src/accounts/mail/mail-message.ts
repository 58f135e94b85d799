import type { TokenPurpose } from '../../kernel/ports/sessions.ts';
import { escapeHtml } from '../../lib/html.ts';
import { limits } from '../limits.ts';

/** A mail, as text and as HTML. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const mailTexts: Readonly<
  Record<TokenPurpose, { readonly subject: string; readonly instruction: string; readonly note: string }>
> = {
  verify: {
    subject: 'Confirm your e-mail address',
    instruction: 'Open this link to confirm that this is your address:',
    note: 'API keys created before that are revoked. If you did not sign up, ignore this message.',
  },
  reset: {
    subject: 'Set a new password',
    instruction: 'Open this link to set a new password:',
    note: 'If you did not request this, ignore this message: your password stays as it is.',
  },
};

/** Contains only the link and its purpose, because it may stay in a mailbox for years. */
export function composeMail(purpose: TokenPurpose, to: string, link: string): MailMessage {
  const { subject, instruction, note } = mailTexts[purpose];
  return composeLinkMail({ to, subject, instruction, link, note: `It works once, within an hour. ${note}` });
}

export interface InvitationMail {
  readonly to: string;
  readonly organization: string;
  readonly link: string;
  readonly days: number;
}

export function composeInvitationMail({ to, organization, link, days }: InvitationMail): MailMessage {
  const lifetime = days === 1 ? 'a day' : `${days} days`;
  return composeLinkMail({
    ...{ to, link, subject: `Join ${organization} on Weir` },
    instruction: `You are invited to join ${organization} on Weir. Open this link to accept:`,
    note: `It works once, within ${lifetime}. If you do not know who invites you, ignore this message.`,
  });
}

export interface SignInMail {
  readonly to: string;
  readonly atMs: number;
  /** The user agent. */
  readonly client: string;
  readonly remoteAddress: string;
  /** To the page with the sessions. */
  readonly link: string;
}

export function composeSignInMail({ to, atMs, client, remoteAddress, link }: SignInMail): MailMessage {
  const program =
    client.slice(0, limits.sessionClientCharacters).replaceAll(/\p{Cc}/gu, '') || 'a program without a name';
  const time = new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');
  return composeLinkMail({
    ...{ to, link, subject: 'New login to your account' },
    instruction: `Somebody logged in to your account at ${time} UTC, from the address ${remoteAddress}, with ${program}. Your sessions are here:`,
    note: 'If it was not you, end that session and change your password.',
  });
}

interface LinkMail {
  readonly to: string;
  readonly subject: string;
  readonly instruction: string;
  readonly link: string;
  readonly note: string;
}

function composeLinkMail({ to, subject, instruction, link, note }: LinkMail): MailMessage {
  return {
    to,
    subject,
    text: `${instruction}\n\n${link}\n\n${note}\n`,
    html: `<!doctype html>
<html lang="en">
<body style="font: 16px/1.5 system-ui, sans-serif">
<p>${escapeHtml(instruction)}</p>
<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>
<p>${escapeHtml(note)}</p>
</body>
</html>
`,
  };
}
