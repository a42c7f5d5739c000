import { type ComponentProps, type Fields, fieldsOf, listOf, textOf } from '../definition.js';
import { useInput, useStage } from '../stage.js';
import { Below, describedBy, Group, Optional } from './field.js';
import { pictureOf } from './images.js';
import { words } from './words.js';

export const RadioButtonsGroup = ({ component }: ComponentProps) => <Choosing component={component} several={false} look="row" />;
export const CheckboxGroup = ({ component }: ComponentProps) => <Choosing component={component} several={true} look="row" />;
export const ChipsSelector = ({ component }: ComponentProps) => <Choosing component={component} several={true} look="chip" />;

export const optionsOf = (source: unknown): readonly Fields[] => listOf(source).map(fieldsOf);

interface ChoosingProps extends ComponentProps {
  readonly several: boolean;
  readonly look: 'row' | 'chip';
}

function Choosing({ component, several, look }: ChoosingProps) {
  const { id, name, props, value, enabled, problem, set, touch } = useInput(component);
  const chosen = several ? listOf(value) : [value];
  const isFull = several && chosen.length >= Number(props['max-selected-items'] ?? Number.POSITIVE_INFINITY);
  const toggle = (option: unknown): unknown =>
    !several ? option : chosen.includes(option) ? chosen.filter((one) => one !== option) : [...chosen, option];
  return (
    <Group
      id={id}
      legend={props.label}
      description={props.description}
      required={props.required === true || Number(props['min-selected-items'] ?? 0) > 0}
      enabled={enabled}
      problem={problem}
      leave={touch}
      kind={several ? undefined : 'radiogroup'}
    >
      <div class={look === 'chip' ? 'chips' : `rows ${props['media-size'] === 'large' ? 'large-media' : ''}`}>
        {optionsOf(props['data-source']).map((option) => {
          const isChosen = chosen.includes(option.id);
          return (
            <label class={look} key={textOf(option.id)}>
              {look === 'row' && <OptionMedia option={option} />}
              {look === 'row' && <OptionText option={option} />}
              <input
                type={several ? 'checkbox' : 'radio'}
                name={name}
                value={textOf(option.id)}
                checked={isChosen}
                disabled={option.enabled === false || (isFull && !isChosen)}
                onChange={() => set(toggle(option.id))}
              />
              {look === 'chip' && <span dir="auto">{words(option.title)}</span>}
            </label>
          );
        })}
      </div>
    </Group>
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

/** Lines are aligned in the direction of the group, whatever the language of each. */
export const OptionText = ({ option }: { option: Fields }) => (
  <span class="row-text">
    <span class="row-title">
      <bdi>{words(option.title)}</bdi>
    </span>
    {[option.description, option.metadata].map(
      (text, i) =>
        textOf(text) !== '' && (
          <span key={i} class="row-more">
            <bdi>{words(text)}</bdi>
          </span>
        ),
    )}
  </span>
);

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
          {words(props.label)}
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
