import { useState } from 'preact/hooks';
import { ActForm, Field } from '../../components/act.js';
import { Failure, Loading } from '../../components/status.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import type { ShownFlow } from './flow-records.js';
import { texts } from './texts.js';

interface Template {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly categories: readonly string[];
  readonly definition: string;
}

/** Creates a draft from a template, or from the text of another flow. @param copied the id of the other flow */
export function NewFlow({ copied, done }: { copied: string | undefined; done: (flow: ShownFlow) => void }) {
  const { data, error, reload } = useQuery<{ templates: readonly Template[] }>('/flows/templates');
  const original = useQuery<{ flow: ShownFlow; definition: string }>(copied === undefined ? undefined : `/flows/${copied}`).data;
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers').data?.numbers;
  const [chosen, setChosen] = useState('survey');
  const [name, setName] = useState<string>();
  const [account, setAccount] = useState<string>();
  if (!data || !numbers || (copied !== undefined && !original)) return error ? <Failure error={error} retry={reload} /> : <Loading />;
  const accounts = [...new Set(numbers.flatMap((number) => number.account ?? []))];
  const template = data.templates.find((one) => one.name === chosen) ?? data.templates[0]!;
  const source = original ? { ...original.flow, definition: original.definition, title: texts.copy(original.flow.name) } : template;
  const shownName = name ?? source.title;
  const shownAccount = account ?? original?.flow.account ?? accounts[0] ?? '';
  return (
    <ActForm<{ flow: ShownFlow }>
      label={texts.newFlow}
      verb={texts.createFlow}
      action={{
        method: 'POST',
        path: '/flows',
        payload: { account: shownAccount, name: shownName, categories: source.categories, definition: source.definition },
      }}
      done={({ flow }) => done(flow)}
    >
      {!original && (
        <fieldset class="flow-templates">
          <legend>{texts.startFrom}</legend>
          {data.templates.map((one) => (
            <label key={one.name}>
              <input type="radio" name="template" checked={one === template} onChange={() => setChosen(one.name)} />
              <span>
                <strong>{one.title}</strong> <small>{one.about}</small>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <Field label={texts.name} value={shownName} set={setName} note={texts.uniqueInItsBusinessAccount} />
      {accounts.length > 0 ? (
        <label class="field">
          <span>{texts.businessAccount}</span>
          <select class="select" value={shownAccount} onChange={({ currentTarget }) => setAccount(currentTarget.value)}>
            {accounts.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <Field label={texts.businessAccount} value={shownAccount} set={setAccount} note={texts.noNumberHasOneYet} />
      )}
    </ActForm>
  );
}
