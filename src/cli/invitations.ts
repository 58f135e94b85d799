import { isEmail } from '../accounts/email.ts';
import { createInvitationLink } from '../accounts/invitations.ts';
import { limits } from '../accounts/limits.ts';
import { systemClock } from '../lib/clock.ts';
import { changeWithAudit, recordAudit } from './audit.ts';
import type { CommandInput } from './command.ts';
import { baseUrlOf, formatTable, runWithDatabase } from './command-context.ts';

const dayMs = 86_400_000;

/** Prints a link with which one address can sign up. */
export function invite({ environment, positionals: [email = ''], flags }: CommandInput): Promise<number> {
  if (!isEmail(email.trim())) throw new Error(`"${email}" is not an email address`);
  const { invitationDays, invitationDaysMax } = limits;
  const days = Number(flags.days ?? invitationDays);
  if (!Number.isInteger(days) || days < 1 || days > invitationDaysMax)
    throw new Error(`--days takes a number from 1 to ${invitationDaysMax}`);
  return runWithDatabase(environment, async ({ database, settings }) => {
    const { invitations, identities } = database;
    if ((await identities.byEmail(email.trim())) !== undefined)
      throw new Error(`an account with the email address ${email} exists already`);
    const parts = { invitations, address: { url: baseUrlOf(settings) }, clock: systemClock };
    const link = await createInvitationLink(parts, email, days * dayMs);
    await recordAudit({ settings, database }, 'invitation.created', { email: email.trim() });
    const lifetime = days === 1 ? 'a day' : `${days} days`;
    console.log(`with this link ${email.trim()} can sign up; it is valid once, for ${lifetime}:\n${link}`);
    if (settings.signUp !== 'invite')
      console.log(`WEIR_SIGNUP is "${settings.signUp}": the link works once it is "invite"`);
  });
}

export function listInvitations({ environment, flags }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database }) => {
    const listed = (await database.invitations.list(systemClock.now())).map(
      ({ email, createdAtMs, expiresAtMs }) => ({
        email,
        createdAt: new Date(createdAtMs).toISOString(),
        expiresAt: new Date(expiresAtMs).toISOString(),
      }),
    );
    if (flags.json) for (const invitation of listed) console.log(JSON.stringify(invitation));
    else console.log(formatTable([['address', 'created', 'expires'], ...listed.map(Object.values)]));
  });
}

export function uninvite({ environment, positionals: [email = ''] }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database, settings }) => {
    const record = { event: 'invitation.revoked', email: email.trim() } as const;
    const revoke = () => database.invitations.revoke(email.trim());
    if (!(await changeWithAudit({ settings, database }, record, revoke)))
      throw new Error(`${email} has no invitation; weir users invitations lists them`);
    console.log(`the invitation of ${email.trim()} is revoked`);
  });
}
