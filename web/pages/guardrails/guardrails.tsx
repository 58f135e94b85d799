import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type Rule, rules, usage } from '../../api/queries.ts';
import { Button, Field, Select } from '../../parts/controls.tsx';
import { count } from '../../parts/format.ts';
import { Allowed } from '../../parts/rights.tsx';
import { Badge, Empty, Loaded, Page, Rows, Section } from '../../parts/states.tsx';
import { Together } from '../../parts/together.tsx';
import { DeleteRule } from './delete-rule.tsx';
import { EditRule } from './edit-rule.tsx';
import { actionTones, appliesToTexts } from './rule-draft.ts';
import { TextCheck } from './text-check.tsx';

const route = getRouteApi('/guardrails');

/** Rules of the account, what was found lately, and a place to try options. */
export function Guardrails() {
  const list = useQuery(rules);
  const found = useQuery(usage(7));
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<Rule>();
  const show = (name: string | undefined) =>
    void navigate({ search: name === undefined ? {} : { open: name }, resetScroll: false });
  const opened = list.data?.rules.find(({ name, source }) => name === open && source === 'account');
  return (
    <Page
      title="Guardrails"
      lead="What the module guardrails looks for beside personal data and secrets, and a place to try it."
      actions={
        <Allowed right="settings:write">
          <Button look="primary" onClick={() => setCreating(true)}>
            New rule
          </Button>
        </Allowed>
      }
    >
      <Together of={[list, found]} loading={<Rows count={8} />}>
        <Section title="Rules">
          <Loaded of={list} loading={<Rows count={3} />}>
            {({ rules: all }) =>
              all.length === 0 ? (
                <Empty title="No rules yet.">
                  Create one, and list it in a pipeline:{' '}
                  <code className="font-mono text-xs">guardrails?rules=codenames</code>
                </Empty>
              ) : (
                <ul aria-label="Rules" className="flex flex-col">
                  {all.map((rule) => (
                    <RuleRow
                      key={rule.name}
                      rule={rule}
                      onEdit={() => show(rule.name)}
                      onDelete={() => setDeleting(rule)}
                    />
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Section>
        <div className="grid gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <Tester all={list.data?.rules ?? []} />
          <FoundLately />
        </div>
      </Together>
      {creating && <EditRule onClose={() => setCreating(false)} />}
      {opened !== undefined && <EditRule key={opened.name} rule={opened} onClose={() => show(undefined)} />}
      {deleting !== undefined && <DeleteRule rule={deleting} onClose={() => setDeleting(undefined)} />}
    </Page>
  );
}

interface RuleRowProps {
  readonly rule: Rule;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function RuleRow({ rule, onEdit, onDelete }: RuleRowProps) {
  const { name, source, pattern, words, action, replacement, applies_to: appliesTo = 'both', cost } = rule;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-2 border-b border-line py-3 sm:grid-cols-[12rem_minmax(0,1fr)_auto]">
      <div className="flex min-w-0 flex-col items-start gap-1">
        <code className="max-w-full truncate font-mono text-sm font-medium" title={name}>
          {name}
        </code>
        <Badge tone={actionTones[action]}>{action}</Badge>
        {source === 'gateway' && <Badge>set by the operator</Badge>}
      </div>
      <div className="flex min-w-0 flex-col gap-1 max-sm:col-span-2 max-sm:row-start-2">
        {pattern !== undefined && <code className="font-mono text-xs wrap-anywhere">{pattern}</code>}
        {words !== undefined && (
          <p className="line-clamp-2 text-sm wrap-anywhere" title={words.join(', ')}>
            {words.join(', ')}
          </p>
        )}
        <p className="text-xs text-muted">
          In {appliesToTexts[appliesTo]}
          {replacement !== undefined && `, replaced by “${replacement}”`}
        </p>
        <p className="text-xs text-muted tabular-nums">
          {cost === null ? 'It can no longer be used; edit it.' : costText(cost)}
        </p>
      </div>
      <span className="flex flex-wrap justify-end gap-2">
        {source === 'account' && (
          <Allowed right="settings:write">
            <Button look="quiet" onClick={onDelete} aria-label={`Delete ${name}`}>
              Delete
            </Button>
            <Button onClick={onEdit} aria-label={`Edit ${name}`}>
              Edit
            </Button>
          </Allowed>
        )}
      </span>
    </li>
  );
}

function costText({ microsecondsPer10Kb, charactersMax }: NonNullable<Rule['cost']>): string {
  const longest =
    charactersMax === null ? 'matches of any length' : `matches up to ${count(charactersMax)} characters`;
  return `≈ ${(microsecondsPer10Kb / 1000).toFixed(2)} ms for 10 KB, ${longest}`;
}

const actions = ['off', 'monitor', 'redact', 'block'] as const;
const kinds = [
  ['pii', 'Personal data', 'redact'],
  ['secrets', 'Keys and passwords', 'redact'],
  ['profanity', 'Profanity', 'monitor'],
] as const;

/** A text with the options that a pipeline would have. */
function Tester({ all }: { readonly all: readonly Rule[] }) {
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(kinds.map(([name, , action]) => [name, action])),
  );
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const listed = all.map(({ name }) => name).filter((name) => !left.has(name));
  const toggle = (name: string) =>
    setLeft((before) =>
      before.has(name) ? new Set([...before].filter((one) => one !== name)) : new Set([...before, name]),
    );
  return (
    <Section title="Try it">
      <div className="grid gap-3 sm:grid-cols-3">
        {kinds.map(([name, label]) => (
          <Field key={name} label={label}>
            {(field) => (
              <Select
                {...field}
                value={chosen[name]}
                onChange={({ target }) => setChosen((before) => ({ ...before, [name]: target.value }))}
              >
                {actions.map((action) => (
                  <option key={action} value={action}>
                    {action}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        ))}
      </div>
      {all.length > 0 && (
        <fieldset className="flex flex-wrap gap-x-4 gap-y-1.5">
          <legend className="mb-1 text-sm font-medium">Rules</legend>
          {all.map(({ name }) => (
            <label key={name} className="flex items-center gap-1.5 text-sm">
              <input type="checkbox" checked={!left.has(name)} onChange={() => toggle(name)} />
              <code className="font-mono text-xs">{name}</code>
            </label>
          ))}
        </fieldset>
      )}
      <TextCheck options={{ ...chosen, ...(listed.length > 0 && { rules: listed }) }} rows={5} />
    </Section>
  );
}

/** Counts of the last week. */
function FoundLately() {
  const asked = useQuery(usage(7));
  return (
    <Section title="Found in the last 7 days">
      <Loaded of={asked} loading={<Rows count={3} />}>
        {({ modules }) => {
          const counts = Object.entries(modules.find(({ module }) => module === 'guardrails')?.counts ?? {});
          return counts.length === 0 ? (
            <p className="text-sm text-muted">Nothing yet.</p>
          ) : (
            <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 text-sm">
              {counts
                .sort(([, one], [, other]) => other - one)
                .map(([kind, found]) => (
                  <div key={kind} className="contents">
                    <dt className="min-w-0 font-mono text-xs wrap-anywhere">{kind}</dt>
                    <dd className="text-right tabular-nums">{count(found)}</dd>
                  </div>
                ))}
            </dl>
          );
        }}
      </Loaded>
    </Section>
  );
}
