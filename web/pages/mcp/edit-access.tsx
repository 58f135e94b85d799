import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import type { McpServer } from '../../api/queries.ts';
import { Button, Field, Input } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { storedDefinition } from './server-definition.ts';
import { useServersChanged } from './use-servers-changed.ts';

interface EditAccessProps {
  readonly server: McpServer;
  readonly onClose: () => void;
}

type Rule = NonNullable<McpServer['access']>[number];

/** The fields of a rule, as they were typed. */
interface RuleTexts {
  readonly id: number;
  readonly tools: string;
  readonly roles: string;
  readonly keys: string;
  readonly people: string;
}

/** Who may use which tools of a server. */
export function EditAccess({ server, onClose }: EditAccessProps) {
  const { name } = server;
  const [rules, setRules] = useState(() => (server.access ?? []).map(textsOfRule));
  const [projects, setProjects] = useState(server.projects?.join(', ') ?? '');
  const saving = useMutation({
    mutationFn: () => {
      const { access: _access, projects: _projects, ...definition } = storedDefinition(server);
      const chosen = listOf(projects);
      const body = {
        ...definition,
        ...(rules.length > 0 && { access: rules.map(ruleOf) }),
        ...(chosen.length > 0 && { projects: chosen }),
      };
      return told(api.PUT('/v1/mcp/servers/{name}', { params: { path: { name } }, body }));
    },
    onSuccess: useServersChanged(onClose),
  });
  const change = (id: number, changed: Partial<RuleTexts>) =>
    setRules(rules.map((rule) => (rule.id === id ? { ...rule, ...changed } : rule)));
  const add = () =>
    setRules([
      ...rules,
      { id: Math.max(0, ...rules.map(({ id }) => id)) + 1, tools: '*', roles: '', keys: '', people: '' },
    ]);
  return (
    <FormDialog
      title={`Access to ${name}`}
      lead="Without rules, everybody in the account may use all of its tools. With rules, whoever one of them names."
      action="Save"
      isIncomplete={rules.some(({ tools }) => tools.trim() === '')}
      saving={saving}
      onClose={onClose}
    >
      {rules.map((rule, index) => (
        <fieldset key={rule.id} className="flex flex-col gap-3 rounded-md border border-line p-3">
          <legend className="px-1 text-sm font-medium">Rule {index + 1}</legend>
          {ruleFields.map(([field, label, hint]) => (
            <Field key={field} label={label} hint={hint}>
              {(given) => (
                <Input
                  {...given}
                  autoComplete="off"
                  value={rule[field]}
                  onChange={({ target }) => change(rule.id, { [field]: target.value })}
                />
              )}
            </Field>
          ))}
          <Button
            look="quiet"
            className="self-end"
            onClick={() => setRules(rules.filter(({ id }) => id !== rule.id))}
            aria-label={`Remove rule ${index + 1}`}
          >
            Remove
          </Button>
        </fieldset>
      ))}
      <Button className="self-start" onClick={add}>
        Add a rule
      </Button>
      <Field
        label="Projects"
        hint="Ids, with commas between them: only their API keys see the server. Empty for all."
      >
        {(field) => (
          <Input {...field} value={projects} onChange={({ target }) => setProjects(target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}

const ruleFields = [
  ['tools', 'Tools', 'Names at the server, with commas between them; * stands for any characters.'],
  ['roles', 'Roles', 'Such as admin, developer. A rule without roles, keys and people is for everybody.'],
  ['keys', 'API keys', 'Ids of keys.'],
  ['people', 'People', 'Ids of members.'],
] as const;

function textsOfRule({ tools, roles = [], keys = [], people = [] }: Rule, id: number): RuleTexts {
  return {
    id,
    tools: tools.join(', '),
    roles: roles.join(', '),
    keys: keys.join(', '),
    people: people.join(', '),
  };
}

function ruleOf({ tools, roles, keys, people }: RuleTexts): Rule {
  const [named, ids, members] = [listOf(roles), listOf(keys), listOf(people)];
  return {
    tools: listOf(tools),
    ...(named.length > 0 && { roles: named }),
    ...(ids.length > 0 && { keys: ids }),
    ...(members.length > 0 && { people: members }),
  };
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
