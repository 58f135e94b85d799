import { idOf, type Provider, type Target } from '../../kernel/provider.ts';
import { limits } from '../limits.ts';
import { TargetRecord } from './target-record.ts';

export interface NamedRecord {
  /** With an empty model in the record of all targets of a provider. */
  readonly target: Target;
  readonly ofCredential: CredentialRecords;
  /** A name for other processes that reveals no credential. */
  readonly name: string;
  readonly record: TargetRecord;
}

/** The records of a credential at its provider. */
export class CredentialRecords {
  readonly provider: Provider;
  /** A keyed hash of the credential. */
  readonly credentialName: string;
  /** The record of all targets. */
  readonly whole: NamedRecord;
  readonly #byModel = new Map<string, NamedRecord>();

  constructor(provider: Provider, credentialName: string) {
    this.provider = provider;
    this.credentialName = credentialName;
    this.whole = this.#create({ provider, model: '' });
  }

  get size(): number {
    return 1 + this.#byModel.size;
  }

  find(model: string): NamedRecord | undefined {
    return model === '' ? this.whole : this.#byModel.get(model);
  }

  add(target: Target): NamedRecord {
    const [oldest] = this.#byModel.keys();
    if (this.#byModel.size >= limits.healthModelsMax && oldest !== undefined) this.#byModel.delete(oldest);
    const named = this.#create(target);
    this.#byModel.set(target.model, named);
    return named;
  }

  #create(target: Target): NamedRecord {
    const hash = Buffer.from(this.credentialName, 'utf16le').toString('hex');
    const name = `${idOf(target.provider)}/${target.model}#${hash}`;
    return { target, ofCredential: this, name, record: new TargetRecord() };
  }
}
