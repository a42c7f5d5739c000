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
import { texts } from './texts.js';

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
      if (result) setCompared({ with: texts.theSeed, result });
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
      announce(texts.theStateWasImported);
    } catch (error) {
      setProblem(reasonOf(error));
    }
  };
  return (
    <div class="part">
      <p>{texts.theStateIsEverythingThat}</p>
      <div class="cards">
        <section class="card" aria-labelledby="state-export">
          <h2 id="state-export">{texts.export}</h2>
          <p>{texts.oneJsonDocumentInA}</p>
          <ToolButton
            label={texts.exportToAFile}
            action={EXPORT}
            isDisabled={act.isBusy}
            onClick={() =>
              void act.run<unknown>(EXPORT).then((state) => {
                if (state === undefined) return;
                saveFile('posthorn-state.json', new Blob([`${JSON.stringify(state, null, 2)}\n`], { type: 'application/json' }));
                announce(texts.theStateWasExported);
              })
            }
          />
          <p class="quiet">{texts.toIncludeTheSecretsSealed(POSTHORN)}</p>
        </section>
        <section class="card" aria-labelledby="state-import">
          <h2 id="state-import">{texts.import}</h2>
          <p>{texts.replacesEverythingByAn}</p>
          <FileButton label={texts.importAFile} action={IMPORT} choose={setChosen} />
          <CopyAs action={IMPORT} />
        </section>
        <section class="card" aria-labelledby="state-compare">
          <h2 id="state-compare">{texts.compare}</h2>
          <p>{texts.listsWhatChangedRecordBy}</p>
          <div class="buttons">
            <ToolButton
              label={texts.compareWithTheSeed}
              action={COMPARE}
              isDisabled={act.isBusy || seed.data?.comparable === false}
              onClick={() => void compare()}
            />
            <FileButton label={texts.compareWithAFile} action={COMPARE} choose={(file) => void compare(file)} />
          </div>
          {seed.data?.comparable === false && <p class="quiet">{texts.thisStateWasResumedOr}</p>}
        </section>
        <section class="card bad" aria-labelledby="state-reset">
          <h2 id="state-reset">{texts.reset}</h2>
          <p>{texts.deletesEverythingAnd}</p>
          <ActButton
            action={{ method: 'POST', path: '/state/reset', command: 'posthorn state reset' }}
            look="button bad"
            announcement={texts.theStateWasReset}
            done={() => {
              setCompared(undefined);
              setImported(undefined);
            }}
            confirm={{
              title: texts.resetTheState,
              text: <p>{texts.conversationsDeliveriesAnd}</p>,
              verb: texts.reset,
            }}
          >
            {texts.reset2}
          </ActButton>
        </section>
      </div>
      <ActError error={act.error ?? problem} />
      {imported && <ImportedState imported={imported} />}
      {chosen && (
        <ConfirmSheet
          title={texts.replaceTheStateWith(chosen.name)}
          text={texts.everythingThatIsNotIn}
          verb={texts.import}
          go={() => void bringIn(chosen)}
          close={() => setChosen(undefined)}
        />
      )}
      {compared && <Differences {...compared} />}
    </div>
  );
}

const ImportedState = ({ imported: { new_secrets: secrets, missing_secrets: missing } }: { imported: Imported }) => (
  <section class="part" aria-label={texts.imported}>
    <p class="callout ok" role="status">
      {texts.theStateWasImported2}
    </p>
    {secrets.map(({ webhook, hmac_secret: secret }) => (
      <ShownOnce key={webhook} text={secret} what={texts.secret}>
        <p>{texts.theFileHasNoSecret(webhook)}</p>
      </ShownOnce>
    ))}
    {missing.length > 0 && (
      <p class="callout">
        {texts.setTheseSecretsAgain} <span class="mono">{missing.join(', ')}</span>
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
