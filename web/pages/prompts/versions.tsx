import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { promptVersion, type StoredPrompt } from '../../api/queries.ts';
import { Button, Code, Field, Select } from '../../parts/controls.tsx';
import { diffLists } from '../../parts/diff.ts';
import { LineDiff } from '../../parts/diff-view.tsx';
import { ago } from '../../parts/format.ts';
import { Badge, Failure, Rows, Section } from '../../parts/states.tsx';
import { linesOf } from './prompt-text.ts';

/** The history, and what changed between two versions. */
export function Versions({ prompt }: { readonly prompt: StoredPrompt }) {
  const { name, versions, labels, latest } = prompt;
  const [shown, setShown] = useState(latest);
  const [before, setBefore] = useState<number>();
  const select = (version: number) => {
    setShown(version);
    setBefore(versions.find((one) => one.version < version)?.version);
  };
  return (
    <Section title="Versions">
      <ol aria-label="Versions" className="flex flex-col">
        {versions.map(({ version, note, createdAt }) => (
          <li key={version} className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2">
            <span className="w-20 text-sm font-medium tabular-nums">version {version}</span>
            <span className="flex min-w-0 grow flex-wrap items-center gap-1.5 text-sm wrap-anywhere">
              {labels
                .filter((label) => label.version === version)
                .map(({ label }) => (
                  <Badge key={label} tone="accent">
                    {label}
                  </Badge>
                ))}
              {note}
            </span>
            <span className="text-xs text-muted">{ago(createdAt)}</span>
            <Link
              to="/requests"
              search={{ tag: `weir.prompt.version:${name}@${version}` }}
              aria-label={`Calls with version ${version}`}
              className="text-xs text-accent hover:underline"
            >
              Calls
            </Link>
            <Button look="quiet" aria-label={`Show version ${version}`} onClick={() => select(version)}>
              Show
            </Button>
          </li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-4">
        <Choice label="Version" value={shown} versions={versions} onChange={select} />
        <Choice
          label="Compared with"
          value={before}
          versions={versions.filter(({ version }) => version !== shown)}
          none="nothing"
          onChange={setBefore}
        />
      </div>
      <Comparison name={name} shown={shown} before={before} />
    </Section>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly versions: StoredPrompt['versions'];
  /** What stands for no version. */
  readonly none?: string;
  readonly onChange: (version: number) => void;
}

function Choice({ label, value, versions, none, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      {(field) => (
        <Select
          {...field}
          className="w-40!"
          value={value ?? ''}
          onChange={({ target }) => onChange(Number(target.value))}
        >
          {none !== undefined && <option value="">{none}</option>}
          {versions.map(({ version }) => (
            <option key={version} value={version}>
              version {version}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

interface ComparisonProps {
  readonly name: string;
  readonly shown: number;
  /** 0 or undefined for none. */
  readonly before: number | undefined;
}

function Comparison({ name, shown, before = 0 }: ComparisonProps) {
  const newer = useQuery(promptVersion(name, String(shown)));
  const older = useQuery({ ...promptVersion(name, String(before)), enabled: before !== 0 });
  const error = newer.error ?? older.error;
  if (error !== null) return <Failure error={error} onRetry={() => void newer.refetch()} />;
  if (newer.data === undefined) return <Rows count={3} />;
  const lines = linesOf(newer.data);
  if (before === 0) return <Code wraps text={lines.join('\n')} label={`Version ${shown}`} />;
  if (older.data === undefined) return <Rows count={3} />;
  return (
    <LineDiff
      label={`Changes from version ${before} to ${shown}`}
      runs={diffLists(linesOf(older.data), lines)}
    />
  );
}
