import { SMTPServer } from 'smtp-server';
import { eventually } from './eventually.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came, with its headers. */
  readonly source: string;
}

/** A mail server on this machine that takes everything, after a log-in. */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  /** How many mails are turned away from now on. */
  refusals = 0;
  readonly #server: SMTPServer;
  #port = 0;

  static async start(): Promise<MailServer> {
    const made = new MailServer();
    await new Promise<void>((resolve) => made.#server.listen(0, '127.0.0.1', resolve));
    const address = made.#server.server.address();
    if (typeof address !== 'object' || address === null) throw new Error('no port');
    made.#port = address.port;
    return made;
  }

  private constructor() {
    this.#server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        username === 'weir' && password === 'secret'
          ? done(null, { user: 'weir' })
          : done(new Error('no such user')),
      onData: (stream, { envelope }, done) => {
        let source = '';
        stream.setEncoding('utf8');
        stream.on('data', (piece: string) => {
          source += piece;
        });
        stream.on('end', () => {
          if (this.refusals-- > 0) return done(new Error('come back later'));
          const { mailFrom, rcptTo } = envelope;
          const from = mailFrom === false ? '' : mailFrom.address;
          this.mails.push({ from, to: rcptTo.map(({ address }) => address), source });
          return done();
        });
      },
    });
  }

  get settings(): Readonly<Record<string, string>> {
    return {
      WEIR_SMTP_URL: `smtp://weir:secret@127.0.0.1:${this.#port}`,
      WEIR_MAIL_FROM: 'Weir <weir@example.com>',
    };
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(resolve));
  }

  /** The next mail to somebody, by what its subject begins with; it is taken out. */
  next(to: string, subject: string): Promise<ReceivedMail> {
    return eventually(async () => {
      const at = this.mails.findIndex(
        (mail) => mail.to.includes(to) && mail.source.includes(`Subject: ${subject}`),
      );
      return at === -1 ? undefined : this.mails.splice(at, 1)[0];
    });
  }
}

/** The token of the link in a mail, whichever of its two forms is read. */
export function tokenIn({ source }: ReceivedMail): string {
  const whole = source.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const found = /#(?:token|invitation)=([\w-]+)/.exec(whole)?.[1];
  if (found === undefined) throw new Error(`no link in ${source}`);
  return found;
}
