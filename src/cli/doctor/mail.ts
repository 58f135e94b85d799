import type { Egress } from '../../egress/egress.ts';
import { limits } from '../../gateway/limits.ts';
import type { Settings } from '../../gateway/settings.ts';
import { verifyMailServer } from '../../gateway/smtp.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { type Finding, fail, ok, reasonOf } from './finding.ts';

/** Checks that the mail server is reachable and accepts the credentials. */
export async function mailFindings({ mail }: Settings, egress: Egress): Promise<readonly Finding[]> {
  if (mail === undefined) return [];
  const { host } = new URL(mail.url.reveal());
  try {
    await withTimeout(
      verifyMailServer({ ...mail, egress }),
      limits.mailServerMs,
      () => new Error('it does not respond'),
    );
    return [ok('mail', `${host} accepts mail from ${mail.from} (no test mail was sent)`)];
  } catch (thrown) {
    const todo = 'check WEIR_SMTP_URL: smtps:// for port 465, smtp:// for 587, user and password URL-encoded';
    return [fail('mail', `${host}: ${reasonOf(thrown)}`, todo)];
  }
}
