import type { Settings } from '../../gateway/settings.ts';
import { verifyMailServer } from '../../gateway/smtp.ts';
import { limits } from '../../kernel/limits.ts';
import { withTimeout } from '../../kernel/with-timeout.ts';
import { type Finding, fail, ok, reasonOf } from './finding.ts';

/** The server that takes mails to people: whether it can be reached, and lets this gateway in. */
export async function mailFindings({ mail }: Settings): Promise<readonly Finding[]> {
  if (mail === undefined) return [];
  const { host } = new URL(mail.url.reveal());
  try {
    await withTimeout(verifyMailServer(mail), limits.mailServerMs, () => new Error('it does not answer'));
    return [ok('mail', `${host} takes mails from ${mail.from}, as far as it says without one`)];
  } catch (thrown) {
    const todo =
      'see WEIR_SMTP_URL: smtps:// for port 465, smtp:// for 587, user and password encoded as in addresses';
    return [fail('mail', `${host}: ${reasonOf(thrown)}`, todo)];
  }
}
