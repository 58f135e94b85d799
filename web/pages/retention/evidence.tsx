import { Code } from '../../parts/controls.tsx';
import { Section } from '../../parts/states.tsx';

/** The signed file for auditors, and how they verify it. */
export function Evidence() {
  return (
    <Section title="Evidence for auditors">
      <p className="max-w-prose text-sm text-muted">
        {
          'A signed file with members, keys, limits, retention, legal holds and the state of the audit log. It contains mail addresses, but no secrets. '
        }
        <a href="/docs/guides/evidence" className="text-accent underline">
          What is in it
        </a>
      </p>
      <a
        href="/v1/organization/evidence"
        download="weir-evidence.jsonl"
        className="inline-flex h-8 items-center self-start rounded-md border border-line bg-surface px-3 text-sm font-medium hover:border-edge"
      >
        Download the evidence bundle
      </a>
      <p className="text-xs text-muted">Anybody can verify it with the public keys of this gateway:</p>
      <Code label="Commands that verify it" text={commands(location.origin)} />
    </Section>
  );
}

function commands(address: string): string {
  return `curl -o jwks.json ${address}/.well-known/jwks.json\nweir evidence verify weir-evidence.jsonl --keys jwks.json`;
}
