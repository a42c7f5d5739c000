import { useRef, useState } from 'preact/hooks';
import { ActButton, ActError, useAct } from '../../components/act.js';
import { ConfirmSheet } from '../../components/confirm.js';
import { type Action, CopyAs } from '../../components/copy.js';
import { ShownOnce } from '../../components/snippet.js';
import { NotLoaded } from '../../components/status.js';
import { ToolButton } from '../../components/tool-button.js';
import { reasonOf, upload } from '../../data/admin.js';
import { announce } from '../../data/announce.js';
import { controlOf } from '../../data/operator.js';
import { POSTHORN } from '../../data/own-command.js';
import { useQuery } from '../../data/query.js';
import { saveFile } from '../../data/save-file.js';
import { type Compared, Differences } from './differences.js';
import type { Seed } from './seed.js';

const EXPORT: Action = { method: 'POST', path: '/state/export', payload: {}, command: 'posthorn state export state.json' };
const IMPORT: Action = {
  method: 'POST',
  path: '/state/import',
  text: '{"posthorn": "state", …}',
  command: 'posthorn state import state.json',
};
const COMPARE: Action = { method: 'POST', path: '/state/compare', payload: {} };

interface Imported {
  readonly new_secrets: readonly { readonly webhook: string; readonly hmac_secret: string }[];
  readonly missing_secrets: readonly string[];
}

/** Resets, exports, imports and compares the state of the sandbox. */
export function StateSettings() {
  const seed = useQuery<Seed>('/state/seed', ['state.']);
  const act = useAct();
  const [compared, setCompared] = useState<{ readonly with: string; readonly result: Compared }>();
  const [imported, setImported] = useState<Imported>();
  const [problem, setProblem] = useState<string>();
  const [chosen, setChosen] = useState<File>();
  if (seed.error?.status === 404) return <NotLoaded plugin="state" />;
  const compare = async (file?: File): Promise<void> => {
    setProblem(undefined);
    setCompared(undefined);
    if (!file) {
      const result = await act.run<Compared>(COMPARE);
      if (result) setCompared({ with: 'the seed', result });
      return;
    }
    try {
      setCompared({ with: file.name, result: await upload<Compared>('/state/compare', file) });
    } catch (error) {
      setProblem(reasonOf(error));
    }
  };
  const bringIn = async (file: File): Promise<void> => {
    setChosen(undefined);
    setProblem(undefined);
    setImported(undefined);
    try {
      setImported(await upload<Imported>('/state/import', file));
      announce('The state was imported');
    } catch (error) {
      setProblem(reasonOf(error));
    }
  };
  return (
    <div class="part">
      <p>The state is everything that the sandbox stores: numbers, conversations, deliveries, journeys, flows, media and settings.</p>
      <div class="cards">
        <section class="card" aria-labelledby="state-export">
          <h2 id="state-export">Export</h2>
          <p>One JSON document in a stable order, without secrets. Version control shows which record changed.</p>
          <ToolButton
            label="Export to a file"
            action={EXPORT}
            isDisabled={act.isBusy}
            onClick={() =>
              void act.run<unknown>(EXPORT).then((state) => {
                if (state === undefined) return;
                saveFile('posthorn-state.json', new Blob([`${JSON.stringify(state, null, 2)}\n`], { type: 'application/json' }));
                announce('The state was exported');
              })
            }
          />
          <p class="quiet">
            To include the secrets, sealed with a passphrase: <code>{POSTHORN} state export FILE --secrets sealed</code>
          </p>
        </section>
        <section class="card" aria-labelledby="state-import">
          <h2 id="state-import">Import</h2>
          <p>Replaces everything by an exported state. All of it is checked before anything changes.</p>
          <FileButton label="Import a file…" action={IMPORT} choose={setChosen} />
          <CopyAs action={IMPORT} />
        </section>
        <section class="card" aria-labelledby="state-compare">
          <h2 id="state-compare">Compare</h2>
          <p>Lists what changed, record by record, since the seed was applied or since an export.</p>
          <div class="buttons">
            <ToolButton
              label="Compare with the seed"
              action={COMPARE}
              isDisabled={act.isBusy || seed.data?.comparable === false}
              onClick={() => void compare()}
            />
            <FileButton label="Compare with a file…" action={COMPARE} choose={(file) => void compare(file)} />
          </div>
          {seed.data?.comparable === false && (
            <p class="quiet">
              This state was resumed or imported, so it can only be compared with a file. A reset makes the seed known again.
            </p>
          )}
        </section>
        <section class="card bad" aria-labelledby="state-reset">
          <h2 id="state-reset">Reset</h2>
          <p>Deletes everything, and applies the seed again. The URL stays, and so do tokens and secrets of the seed.</p>
          <ActButton
            action={{ method: 'POST', path: '/state/reset', command: 'posthorn state reset' }}
            look="button bad"
            announcement="The state was reset"
            done={() => {
              setCompared(undefined);
              setImported(undefined);
            }}
            confirm={{
              title: 'Reset the state',
              text: <p>Conversations, deliveries and everything else that is not in the seed is deleted. Export it first to keep it.</p>,
              verb: 'Reset',
            }}
          >
            Reset…
          </ActButton>
        </section>
      </div>
      <ActError error={act.error ?? problem} />
      {imported && <ImportedState imported={imported} />}
      {chosen && (
        <ConfirmSheet
          title={`Replace the state with ${chosen.name}?`}
          text="Everything that is not in the file is lost: numbers, tokens, conversations and deliveries. An export of the current state keeps it."
          verb="Import"
          go={() => void bringIn(chosen)}
          close={() => setChosen(undefined)}
        />
      )}
      {compared && <Differences {...compared} />}
    </div>
  );
}

const ImportedState = ({ imported: { new_secrets: secrets, missing_secrets: missing } }: { imported: Imported }) => (
  <section class="part" aria-label="Imported">
    <p class="callout ok" role="status">
      The state was imported.
    </p>
    {secrets.map(({ webhook, hmac_secret: secret }) => (
      <ShownOnce key={webhook} text={secret} what="secret">
        <p>
          The file has no secret for webhook <span class="mono">{webhook}</span>, so it got this new one.
        </p>
      </ShownOnce>
    ))}
    {missing.length > 0 && (
      <p class="callout">
        Set these secrets again: <span class="mono">{missing.join(', ')}</span>
      </p>
    )}
  </section>
);

function FileButton({ label, action, choose }: { label: string; action: Action; choose: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="button outlined" {...controlOf(action)} onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label={label}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          currentTarget.value = '';
          if (file) choose(file);
        }}
      />
    </>
  );
}
