import { GatewayError } from '../../kernel/errors.ts';
import type { Identity } from '../../kernel/ports/identities.ts';
import type { EnforcedSignOn, SignOns } from '../../kernel/ports/sign-on.ts';
import { domainOf } from './email-domain.ts';

export interface PasswordPolicyParts {
  readonly signOns: Pick<SignOns, 'enforcedFor'>;
  readonly address: { readonly url: string };
  /** Called when the owner who may log in with a password does so. */
  onBreakGlass(login: { readonly accountId: string; readonly user: string }): Promise<void>;
  /** Called when a log-in is refused. */
  onRefusal(login: { readonly accountId: string; readonly user: string }): Promise<void>;
}

/** Whether people may log in with a password, where organizations enforce single sign-on. */
export class PasswordPolicy {
  readonly #parts: PasswordPolicyParts;

  constructor(parts: PasswordPolicyParts) {
    this.#parts = parts;
  }

  /** Call it after the password was checked: it must tell nobody else of an organization. */
  async check(identity: Pick<Identity, 'id' | 'email'>): Promise<void> {
    const { address, onBreakGlass, onRefusal } = this.#parts;
    const enforced = await this.#enforcedFor(identity);
    if (enforced === undefined) return;
    const { accountId } = enforced;
    const login = { accountId, user: String(identity.id) };
    if (enforced.isBreakGlass) return onBreakGlass(login);
    await onRefusal(login);
    throw new GatewayError(
      'sign_on_required',
      `your organization enforces single sign-on: begin at ${address.url}/v1/sign-on/start?organization=${accountId}`,
    );
  }

  /** Whether a session that began with a password may go on in an account. */
  async mayEnter(identity: Pick<Identity, 'id' | 'email'>, accountId: string): Promise<boolean> {
    const enforced = await this.#enforcedFor(identity);
    return enforced?.accountId !== accountId || enforced.isBreakGlass;
  }

  async #enforcedFor({ id, email }: Pick<Identity, 'id' | 'email'>): Promise<EnforcedSignOn | undefined> {
    const domain = domainOf(email);
    return domain === undefined ? undefined : this.#parts.signOns.enforcedFor(id, domain);
  }
}
