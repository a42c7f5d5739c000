import { useEffect, useId, useState } from 'preact/hooks';
import { ActError, useAct } from '../../components/act.js';
import { type Action, CopyAs } from '../../components/copy.js';
import { wordsOfRetried } from '../../components/outcome.js';
import { Status } from '../../components/status.js';
import { announce } from '../../data/announce.js';
import { controlOf } from '../../data/operator.js';
import { useQuery } from '../../data/query.js';
import { SettingsSection } from './settings-section.js';
import { texts } from './texts.js';

interface Setting {
  readonly path: string;
  readonly title: string;
  readonly why: string;
  readonly kind: 'boolean' | 'number' | 'choice' | 'choices';
  readonly values?: readonly string[];
  readonly value: unknown;
  readonly default: unknown;
  readonly changed: boolean;
}

interface Settings {
  readonly settings: readonly Setting[];
  readonly changed_options: readonly { readonly path: string; readonly value: unknown; readonly default: unknown }[];
}

/** The options for points that the API specification leaves open. */
export function Switches() {
  const query = useQuery<Settings>('/settings', ['state.']);
  return (
    <SettingsSection query={query} lacks={texts.changeableOptions}>
      {({ settings, changed_options: changed }) => (
        <>
          <p>{texts.theApiSpecificationLeaves}</p>
          <ul class="switches">
            {settings.map((setting) => (
              <Switch key={setting.path} setting={setting} reload={query.reload} />
            ))}
          </ul>
          {changed.length > 0 && (
            <section aria-labelledby="changed-options">
              <h2 id="changed-options">{texts.optionsThatDifferFromThe}</h2>
              <dl class="facts">
                {changed.map(({ path, value, default: standard }) => (
                  <div key={path} class="fact">
                    <dt class="mono">{path}</dt>
                    <dd>
                      <bdi class="mono">{JSON.stringify(value)}</bdi> <span class="quiet">{texts.default(JSON.stringify(standard))}</span>
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          )}
        </>
      )}
    </SettingsSection>
  );
}

function Switch({ setting, reload }: { setting: Setting; reload: () => void }) {
  const id = useId();
  const { path, title, why, kind, values = [], changed } = setting;
  const act = useAct();
  /** The value that the user chose, until the server has it. */
  const [chosenValue, choose] = useState<{ readonly value: unknown }>();
  const { value } = chosenValue ?? setting;
  useEffect(() => choose(undefined), [JSON.stringify(setting.value)]);
  const [typed, setTyped] = useState(value === null ? '' : String(value));
  useEffect(() => setTyped(value === null ? '' : String(value)), [value]);
  const actionFor = (next: unknown): Action => ({
    method: 'PATCH',
    path: '/settings',
    payload: { options: { [path]: next } },
    ...(next !== null && { command: `posthorn sandbox --option '${path}=${typeof next === 'string' ? next : JSON.stringify(next)}'` }),
  });
  const apply = (next: unknown): void => {
    if (kind !== 'number') choose({ value: next });
    void act.run(actionFor(next)).then((result) => {
      if (result === undefined) return choose(undefined);
      announce(texts.changed(title));
      reload();
    });
  };
  const control = controlOf(actionFor(value), act.isBusy);
  const about = { 'aria-describedby': `${id}-why`, ...control };
  const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
  return (
    <li class="switch">
      <div class="head">
        {kind === 'boolean' ? (
          <label class="check">
            <input
              type="checkbox"
              {...about}
              checked={value === true || (typeof value === 'object' && value !== null)}
              onChange={({ currentTarget }) => apply(currentTarget.checked)}
            />
            <strong>{title}</strong>
          </label>
        ) : kind === 'choices' ? (
          <strong id={id}>{title}</strong>
        ) : (
          <label for={id}>
            <strong>{title}</strong>
          </label>
        )}
        <span class="buttons">
          {changed && <Status tone="warn">{texts.notTheDefault}</Status>}
          {changed && (
            <button type="button" class="button plain" {...control} onClick={() => apply(setting.default)}>
              {texts.restoreTheDefault}
              <span class="unseen"> {texts.of(title)}</span>
            </button>
          )}
          <CopyAs
            action={actionFor(kind === 'boolean' ? value !== true : value)}
            label={kind === 'boolean' ? texts.copyTheChangeAs : texts.copyAs}
          />
        </span>
      </div>
      {kind === 'choice' && (
        <select id={id} class="select narrow" {...about} value={String(value)} onChange={({ currentTarget }) => apply(currentTarget.value)}>
          {values.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      )}
      {kind === 'choices' && (
        // biome-ignore lint/a11y/useSemanticElements: the legend of a fieldset cannot be beside its buttons
        <div class="buttons" role="group" aria-labelledby={id} aria-describedby={`${id}-why`}>
          {values.map((one) => (
            <label key={one} class="check">
              <input
                type="checkbox"
                {...control}
                checked={chosen.includes(one)}
                onChange={({ currentTarget }) => apply(currentTarget.checked ? [...chosen, one] : chosen.filter((other) => other !== one))}
              />
              <span title={one}>{wordsOfRetried(one)}</span>
            </label>
          ))}
        </div>
      )}
      {kind === 'number' && (
        <form
          class="buttons"
          onSubmit={(event) => {
            event.preventDefault();
            apply(typed.trim() === '' ? null : Number(typed));
          }}
        >
          <input
            id={id}
            class="input number"
            type="number"
            step="any"
            placeholder={texts.none}
            {...about}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <button type="submit" class="button outlined" {...control}>
            {texts.set2}
            <span class="unseen"> {title}</span>
          </button>
        </form>
      )}
      <p id={`${id}-why`} class="quiet">
        {why} <span class="mono">{path}</span>
      </p>
      <ActError error={act.error} />
    </li>
  );
}
