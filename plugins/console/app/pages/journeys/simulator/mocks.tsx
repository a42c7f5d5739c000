import { signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Field } from '../../../components/act.js';
import type { MockForm } from './setup.js';
import type { Simulator } from './simulation.js';
import { texts } from './texts.js';

const METHODS = ['', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** A removed mock can be put back for this long. */
const UNDO_MS = 10_000;
/** The mock that was removed last, until it is too late to put it back. */
const removed = signal<{ readonly setup: Simulator['setup']; readonly mock: MockForm; readonly position: number } | undefined>(undefined);

function remove(setup: Simulator['setup'], position: number): void {
  const { mocks } = setup.value;
  const one = { setup, mock: mocks[position]!, position };
  setup.value = { ...setup.value, mocks: mocks.filter((_, i) => i !== position) };
  removed.value = one;
  setTimeout(() => {
    if (removed.value === one) removed.value = undefined;
  }, UNDO_MS);
}

function Undo({ setup }: { setup: Simulator['setup'] }) {
  const one = removed.value;
  if (one?.setup !== setup) return null;
  const undo = (): void => {
    setup.value = { ...setup.value, mocks: setup.value.mocks.toSpliced(one.position, 0, one.mock) };
    removed.value = undefined;
  };
  return (
    <p class="callout" role="status">
      {texts.mockWasRemoved(one.position + 1)}{' '}
      <button type="button" class="button plain" onClick={undo}>
        {texts.undo}
      </button>
    </p>
  );
}

/** The mocks of the next turns, in the order in which they are tried. */
export function Mocks({ simulator: { setup } }: { simulator: Simulator }) {
  const { mocks, failUnmocked } = setup.value;
  return (
    <div class="sim-forms">
      <p class="quiet">{texts.howMocksMatch()}</p>
      <label class="check">
        <input
          type="checkbox"
          checked={failUnmocked}
          onChange={() => {
            setup.value = { ...setup.value, failUnmocked: !failUnmocked };
          }}
        />{' '}
        {texts.failUnmocked}
      </label>
      {mocks.map((_, i) => (
        <MockFields key={i} setup={setup} position={i} />
      ))}
      <Undo setup={setup} />
      <button
        type="button"
        class="button outlined"
        onClick={() => {
          setup.value = { ...setup.value, mocks: [...mocks, { method: 'GET', url: 'https://', status: '200', body: '{}' }] };
        }}
      >
        {texts.addMock}
      </button>
    </div>
  );
}

/** The fields of one mock. @param position from 0 */
export function MockFields({ setup, position }: { setup: Simulator['setup']; position: number }) {
  const { mocks } = setup.value;
  const mock = mocks[position];
  const id = useId();
  if (!mock) return null;
  const change = (part: Partial<MockForm>): void => {
    setup.value = { ...setup.value, mocks: mocks.map((one, i) => (i === position ? { ...one, ...part } : one)) };
  };
  return (
    <fieldset class="sim-mock">
      <legend>{texts.mock(position + 1)}</legend>
      <div class="field">
        <label for={`${id}-method`}>{texts.method}</label>
        <select
          id={`${id}-method`}
          class="select"
          value={mock.method}
          onChange={({ currentTarget }) => change({ method: currentTarget.value })}
        >
          {[...new Set([...METHODS, mock.method])].map((method) => (
            <option key={method} value={method}>
              {method || texts.any}
            </option>
          ))}
        </select>
      </div>
      <Field label={texts.url} value={mock.url} set={(url) => change({ url })} />
      <Field label={texts.status} value={mock.status} set={(status) => change({ status })} />
      <div class="field sim-body">
        <label for={`${id}-body`}>{texts.body}</label>
        <textarea
          id={`${id}-body`}
          class="area mono"
          rows={3}
          spellcheck={false}
          dir="auto"
          value={mock.body}
          onInput={({ currentTarget }) => change({ body: currentTarget.value })}
        />
      </div>
      <button type="button" class="button plain" onClick={() => remove(setup, position)}>
        {texts.remove}
        <span class="unseen"> {texts.ofMock(position + 1)}</span>
      </button>
    </fieldset>
  );
}
