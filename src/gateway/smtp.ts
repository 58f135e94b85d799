import type { Transporter } from 'nodemailer';
import type { MailQueueParts } from '../accounts/mail/mail-queue.ts';
import type { Egress } from '../egress/egress.ts';
import type { Secret } from '../lib/secret.ts';
import { limits } from './limits.ts';

export interface SmtpOptions {
  readonly egress: Egress;
  readonly url: Secret;
  readonly from: string;
}

/** Sends mail by SMTP; loads the client with the first mail. */
export function createSmtpDelivery({ egress, url, from }: SmtpOptions): MailQueueParts['deliver'] {
  let loading: Promise<Transporter> | undefined;
  return async ({ to, ...letter }) => {
    loading ??= createSmtpTransport(egress, url);
    const transport = await loading;
    // An object, so that the text is not parsed as an address list.
    await transport.sendMail({ from, to: { name: '', address: to }, ...letter });
  };
}

export const loadMailClient = () => import('nodemailer');

/** Logs in without sending a mail. */
export async function verifyMailServer({ egress, url }: Omit<SmtpOptions, 'from'>): Promise<void> {
  const transport = await createSmtpTransport(egress, url);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

async function createSmtpTransport(egress: Egress, url: Secret): Promise<Transporter> {
  const { createTransport } = await loadMailClient();
  return createTransport({
    url: url.reveal(),
    getSocket({ host = 'localhost', secure, port = secure ? 465 : 587 }, callback) {
      const server = { purpose: 'mail', host, port: Number(port), reach: 'any' } as const;
      egress.connect(server).then((connection) => callback(null, { connection }), callback);
    },
    connectionTimeout: limits.mailServerMs,
    greetingTimeout: limits.mailServerMs,
    socketTimeout: limits.mailServerMs,
    dnsTimeout: limits.mailServerMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
