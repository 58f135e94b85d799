import type { Transporter } from 'nodemailer';
import type { MailQueueParts } from '../accounts/mail/mail-queue.ts';
import type { Secret } from '../lib/secret.ts';
import { limits } from './limits.ts';

interface SmtpOptions {
  readonly url: Secret;
  readonly from: string;
}

/** Sends mail by SMTP; loads the client with the first mail. */
export function createSmtpDelivery({ url, from }: SmtpOptions): MailQueueParts['deliver'] {
  let loading: Promise<Transporter> | undefined;
  return async ({ to, ...letter }) => {
    loading ??= createSmtpTransport(url);
    const transport = await loading;
    // An object, so that the text is not parsed as an address list.
    await transport.sendMail({ from, to: { name: '', address: to }, ...letter });
  };
}

/** Logs in without sending a mail. */
export async function verifyMailServer({ url }: Pick<SmtpOptions, 'url'>): Promise<void> {
  const transport = await createSmtpTransport(url);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

async function createSmtpTransport(url: Secret): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url: url.reveal(),
    connectionTimeout: limits.mailServerMs,
    greetingTimeout: limits.mailServerMs,
    socketTimeout: limits.mailServerMs,
    dnsTimeout: limits.mailServerMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
