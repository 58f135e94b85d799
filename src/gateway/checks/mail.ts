import type { Egress } from '../../egress/egress.ts';
import { type Check, degraded, failing, passed, reasonOf } from '../../telemetry/diagnostics.ts';
import { limits } from '../limits.ts';
import type { Settings } from '../settings.ts';
import { loadMailClient, verifyMailServer } from '../smtp.ts';

interface MailQueue {
  readonly pendingCount: number;
}

/** Whether the mail server accepts the credentials, and whether mails wait for it. */
export function mailCheck(mail: NonNullable<Settings['mail']>, egress: Egress, queue?: MailQueue): Check {
  return {
    name: 'mail',
    prepare: loadMailClient,
    async run() {
      const { host } = new URL(mail.url.reveal());
      try {
        await verifyMailServer({ ...mail, egress });
      } catch (thrown) {
        return failing(
          `${host}: ${reasonOf(thrown)}`,
          'check WEIR_SMTP_URL: smtps:// for port 465, smtp:// for 587, user and password URL-encoded',
        );
      }
      const waiting = queue?.pendingCount ?? 0;
      const detail = `${host} accepts mail from ${mail.from} (no test mail was sent)`;
      if (waiting <= limits.waitingMailsMax) return passed(detail);
      return degraded(
        `${detail}; ${waiting} mails wait to be sent`,
        'see the log for errors of the mail server',
      );
    },
  };
}
