import type { ComponentChildren } from 'preact';
import { type Fields, fieldsOf, listOf, textOf } from '../definition.js';
import { useInput, useStage } from '../stage.js';
import type { ComponentProps } from './component-view.js';
import { Below, describedBy, Group, Optional } from './field.js';
import { pictureOf } from './images.js';

export const RadioButtonsGroup = ({ component }: ComponentProps) => <Choosing component={component} several={false} />;
export const CheckboxGroup = ({ component }: ComponentProps) => <Choosing component={component} several={true} />;

export const optionsOf = (source: unknown): readonly Fields[] => listOf(source).map(fieldsOf);

interface FrameProps {
  readonly input: ReturnType<typeof useInput>;
  readonly kind?: 'radiogroup' | undefined;
  readonly children: ComponentChildren;
}

/** What stands around the choices of a group. */
function Frame({ input: { id, props, enabled, problem, touch }, kind, children }: FrameProps) {
  return (
    <Group
      id={id}
      legend={props.label}
      description={props.description}
      required={props.required === true || Number(props['min-selected-items'] ?? 0) > 0}
      enabled={enabled}
      problem={problem}
      leave={touch}
      kind={kind}
    >
      {children}
    </Group>
  );
}

const isFilled = (chosen: readonly unknown[], props: Fields): boolean =>
  chosen.length >= Number(props['max-selected-items'] ?? Number.POSITIVE_INFINITY);

function Choosing({ component, several }: ComponentProps & { several: boolean }) {
  const input = useInput(component);
  const { name, props, value, set } = input;
  const chosen = several ? listOf(value) : [value];
  const isFull = several && isFilled(chosen, props);
  const toggle = (option: unknown): unknown =>
    !several ? option : chosen.includes(option) ? chosen.filter((one) => one !== option) : [...chosen, option];
  return (
    <Frame input={input} kind={several ? undefined : 'radiogroup'}>
      <div class={`rows ${props['media-size'] === 'large' ? 'large-media' : ''}`}>
        {optionsOf(props['data-source']).map((option) => {
          const isChosen = chosen.includes(option.id);
          return (
            <label class="row" key={textOf(option.id)}>
              <OptionMedia option={option} />
              <OptionText option={option} />
              <input
                type={several ? 'checkbox' : 'radio'}
                name={name}
                value={textOf(option.id)}
                checked={isChosen}
                disabled={option.enabled === false || (isFull && !isChosen)}
                onChange={() => set(toggle(option.id))}
              />
            </label>
          );
        })}
      </div>
    </Frame>
  );
}

export function OptionMedia({ option }: { option: Fields }) {
  const picture = pictureOf(option.image);
  if (picture) return <img class="thumb" src={picture} alt={textOf(option['alt-text'])} />;
  const colour = textOf(option.color);
  return /^#?[\da-f]{6}$/i.test(colour) ? (
    <span class="thumb swatch" style={{ backgroundColor: `#${colour.replace('#', '')}` }} aria-hidden="true" />
  ) : null;
}

export const OptionText = ({ option }: { option: Fields }) => (
  <span class="row-text">
    <span class="row-title" dir="auto">
      {textOf(option.title)}
    </span>
    {textOf(option.description) !== '' && (
      <span class="row-more" dir="auto">
        {textOf(option.description)}
      </span>
    )}
    {textOf(option.metadata) !== '' && (
      <span class="row-more" dir="auto">
        {textOf(option.metadata)}
      </span>
    )}
  </span>
);

export function ChipsSelector({ component }: ComponentProps) {
  const input = useInput(component);
  const { name, props, value, set } = input;
  const chosen = listOf(value);
  const isFull = isFilled(chosen, props);
  return (
    <Frame input={input}>
      <div class="chips">
        {optionsOf(props['data-source']).map((option) => {
          const isChosen = chosen.includes(option.id);
          return (
            <label class="chip" key={textOf(option.id)}>
              <input
                type="checkbox"
                name={name}
                checked={isChosen}
                disabled={option.enabled === false || (isFull && !isChosen)}
                onChange={() => set(isChosen ? chosen.filter((one) => one !== option.id) : [...chosen, option.id])}
              />
              <span dir="auto">{textOf(option.title)}</span>
            </label>
          );
        })}
      </div>
    </Frame>
  );
}

export function OptIn({ component }: ComponentProps) {
  const { id, props, value, enabled, problem, set, touch } = useInput(component);
  const { dispatch } = useStage();
  const action = component['on-click-action'];
  return (
    <div class="opt-in">
      <input
        type="checkbox"
        id={id}
        checked={value === true}
        disabled={!enabled}
        aria-required={props.required === true}
        aria-invalid={problem !== undefined}
        aria-describedby={describedBy(id, undefined, problem)}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
        onBlur={touch}
      />
      <div>
        <label for={id} dir="auto">
          {textOf(props.label)}
          <Optional required={props.required} />
        </label>
        {action !== undefined && (
          <button type="button" class="link" onClick={() => dispatch({ kind: 'act', action })}>
            Read more<span class="unseen"> about: {textOf(props.label)}</span>
          </button>
        )}
        <Below id={id} problem={problem} />
      </div>
    </div>
  );
}
