import { useQuery } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import { aliases, capabilities, type KeyRules, keyAccess, models } from '../../api/queries.ts';
import { Field, Input } from '../../parts/controls.tsx';
import { dateOf, utc } from '../../parts/format.ts';
import { RuleList } from '../../parts/rule-list.tsx';
import { Badge } from '../../parts/states.tsx';

/** The rules that were edited. */
export type EditedRules = Partial<KeyRules>;

const noRules: KeyRules = {
  models: null,
  providers: null,
  tools: null,
  pipelines: null,
  addresses: null,
  expires_at: null,
  end_user: null,
};

/** What a key may be used for, one field for each rule. */
export function AccessFields({
  id,
  edited,
  onChange,
}: {
  readonly id: string;
  readonly edited: EditedRules;
  readonly onChange: (edited: EditedRules) => void;
}) {
  const { data } = useQuery(keyAccess);
  const { data: gateway } = useQuery(capabilities);
  const { data: callable = [] } = useQuery(models);
  const { data: named } = useQuery(aliases);
  const stored = data?.keys.find((key) => key.id === id);
  const rules: KeyRules = { ...noRules, ...stored, ...edited };
  const set = (change: EditedRules) => onChange({ ...edited, ...change });
  const aliasNames = named?.aliases.map(({ name }) => name) ?? [];
  return (
    <fieldset className="flex min-w-0 flex-col gap-3" disabled={stored === undefined}>
      <legend className="mb-2 text-sm font-medium">Access</legend>
      <RuleList
        label="Models"
        entry="model"
        hint="A name, an alias, or a pattern such as claude-haiku-* or openai/*."
        placeholder="claude-haiku-*"
        known={[...new Set([...aliasNames, ...callable])]}
        entries={rules.models}
        onChange={(entries) => set({ models: entries && [...entries] })}
      />
      <RuleList
        label="Providers"
        entry="provider"
        hint="The name of a provider."
        placeholder="anthropic"
        known={gateway?.providers.map(({ name }) => name) ?? []}
        entries={rules.providers}
        onChange={(entries) => set({ providers: entries && [...entries] })}
      />
      <RuleList
        label="MCP tools"
        entry="tool"
        hint="A name, or a pattern such as github__get_*; none uses no tool."
        placeholder="github__*"
        known={['none']}
        entries={rules.tools}
        onChange={(entries) => set({ tools: entries && [...entries] })}
      />
      <RuleList
        label="Pipelines of a request"
        entry="pipeline"
        hint="A whole list that the header x-weir-pipeline may have; none runs no module."
        placeholder="exact-cache,router"
        known={['none']}
        entries={rules.pipelines}
        onChange={(entries) => set({ pipelines: entries && [...entries] })}
      />
      <RuleList
        label="Addresses of clients"
        entry="address"
        hint="An address or a network."
        placeholder="203.0.113.0/24"
        entries={rules.addresses}
        onChange={(entries) => set({ addresses: entries && [...entries] })}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label="Expires"
          hint={
            rules.expires_at === null ? 'Never, if it is empty.' : `${utc(rules.expires_at).slice(0, 16)} UTC`
          }
        >
          {(field) => (
            <Input
              {...field}
              type="datetime-local"
              max="9999-12-31T23:59"
              value={rules.expires_at === null ? '' : localTime(rules.expires_at)}
              onChange={({ target: { value } }) =>
                set({ expires_at: value === '' ? null : new Date(value).toISOString() })
              }
            />
          )}
        </Field>
        <Field label="End user of all calls" hint="Whatever the calls say.">
          {(field) => (
            <Input
              {...field}
              maxLength={256}
              placeholder="named by each call"
              value={rules.end_user ?? ''}
              onChange={({ target: { value } }) => set({ end_user: value === '' ? null : value })}
            />
          )}
        </Field>
      </div>
      <p className="text-xs text-muted">The rules hold on all replicas from the next call on.</p>
    </fieldset>
  );
}

/** When a key stops working, in the list of keys. */
export function KeyExpiry({ id }: { readonly id: string }) {
  const { data } = useQuery(keyAccess);
  const at = data?.keys.find((key) => key.id === id)?.expires_at;
  if (at === undefined) return <>–</>;
  if (at === null) return <>never</>;
  return Date.parse(at) <= Date.now() ? (
    <Badge tone="failed">expired</Badge>
  ) : (
    <span title={utc(at)}>{dateOf(at)}</span>
  );
}

export async function saveRules(id: string, edited: EditedRules): Promise<void> {
  if (Object.keys(edited).length === 0) return;
  await told(api.PUT('/v1/keys/{id}/access', { params: { path: { id } }, body: edited }));
}

/** As an input for local times has it. */
function localTime(at: string): string {
  const time = new Date(at);
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
