import { createHash, type Hash } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { canonicalJson } from '../canonical-json.ts';
import { type PointSigner, signStatement } from '../signed-points.ts';
import { type EvidenceRow, type EvidenceSection, evidenceSections } from './rows.ts';

/** The lines of a section so far, with their digest. */
interface Digest {
  readonly hash: Hash;
  lines: number;
}

/** The lines and the SHA-256 of a bundle and of each of its sections. */
export class EvidenceDigests {
  readonly #all: Digest = newDigest();
  readonly #sections = new Map<EvidenceSection, Digest>(evidenceSections.map((name) => [name, newDigest()]));

  /** A line with its end. */
  add(section: EvidenceSection, line: string | Uint8Array): void {
    for (const digest of [this.#all, this.#sections.get(section)]) {
      if (digest === undefined) continue;
      digest.hash.update(line);
      digest.lines++;
    }
  }

  result() {
    const sections = [...this.#sections].map(([name, digest]) => [name, resultOf(digest)]);
    return { ...resultOf(this.#all), sections: Object.fromEntries(sections) };
  }
}

interface Bundle {
  readonly rows: AsyncIterable<EvidenceRow>;
  /** Undefined for the whole instance. */
  readonly account: string | undefined;
  readonly signer: PointSigner;
  readonly clock: Clock;
}

/** The lines of a bundle, with a signed statement about all of them at the end. */
export async function* signedBundle({ rows, account, signer, clock }: Bundle): AsyncIterable<string> {
  const digests = new EvidenceDigests();
  for await (const [section, fields] of rows) {
    const line = `{"section":"${section}",${canonicalJson(fields).slice(1)}\n`;
    digests.add(section, line);
    yield line;
  }
  const statement = {
    evidence: account === undefined ? 'instance' : 'account',
    account,
    ...digests.result(),
    signed_at: new Date(clock.now()).toISOString(),
    key_id: signer.id,
  };
  yield `${canonicalJson(await signStatement(signer, statement))}\n`;
}

function newDigest(): Digest {
  return { hash: createHash('sha256'), lines: 0 };
}

function resultOf({ hash, lines }: Digest) {
  return { lines, sha256: hash.copy().digest('hex') };
}
