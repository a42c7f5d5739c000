import { type ComponentProps, type Fields, fieldsOf, listOf, shownText } from '../definition.js';
import { useInput, useStage } from '../stage.js';
import { texts } from '../texts.js';
import { describedBy, FieldNotes, Group, Optional } from './field.js';
import { pictureOf } from './images.js';
import { renderText } from './render-text.js';

export const RadioButtonsGroup = ({ component }: ComponentProps) => <ChoiceGroup component={component} multiple={false} variant="row" />;
export const CheckboxGroup = ({ component }: ComponentProps) => <ChoiceGroup component={component} multiple={true} variant="row" />;
export const ChipsSelector = ({ component }: ComponentProps) => <ChoiceGroup component={component} multiple={true} variant="chip" />;

export const optionsOf = (source: unknown): readonly Fields[] => listOf(source).map(fieldsOf);

interface ChoiceGroupProps extends ComponentProps {
  readonly multiple: boolean;
  readonly variant: 'row' | 'chip';
}

function ChoiceGroup({ component, multiple, variant }: ChoiceGroupProps) {
  const { id, name, props, value, enabled, problem, set, touch } = useInput(component);
  const chosen = multiple ? listOf(value) : [value];
  const isFull = multiple && chosen.length >= Number(props['max-selected-items'] ?? Number.POSITIVE_INFINITY);
  const toggle = (option: unknown): unknown =>
    !multiple ? option : chosen.includes(option) ? chosen.filter((one) => one !== option) : [...chosen, option];
  return (
    <Group
      id={id}
      legend={props.label}
      description={props.description}
      required={props.required === true || Number(props['min-selected-items'] ?? 0) > 0}
      enabled={enabled}
      problem={problem}
      leave={touch}
      kind={multiple ? undefined : 'radiogroup'}
    >
      <div class={variant === 'chip' ? 'chips' : `rows ${props['media-size'] === 'large' ? 'large-media' : ''}`}>
        {optionsOf(props['data-source']).map((option) => {
          const isChosen = chosen.includes(option.id);
          return (
            <label class={variant} key={shownText(option.id)}>
              {variant === 'row' && <OptionMedia option={option} />}
              {variant === 'row' && <OptionText option={option} />}
              <input
                type={multiple ? 'checkbox' : 'radio'}
                name={name}
                value={shownText(option.id)}
                checked={isChosen}
                disabled={option.enabled === false || (isFull && !isChosen)}
                onChange={() => set(toggle(option.id))}
              />
              {variant === 'chip' && <span dir="auto">{renderText(option.title)}</span>}
            </label>
          );
        })}
      </div>
    </Group>
  );
}

export function OptionMedia({ option }: { option: Fields }) {
  const picture = pictureOf(option.image);
  if (picture) return <img class="thumb" src={picture} alt={shownText(option['alt-text'])} />;
  const colour = shownText(option.color);
  return /^#?[\da-f]{6}$/i.test(colour) ? (
    <span class="thumb swatch" style={{ backgroundColor: `#${colour.replace('#', '')}` }} aria-hidden="true" />
  ) : null;
}

/** Lines are aligned in the direction of the group, in every language. */
export const OptionText = ({ option }: { option: Fields }) => (
  <span class="row-text">
    <span class="row-title">
      <bdi>{renderText(option.title)}</bdi>
    </span>
    {[option.description, option.metadata].map(
      (text, i) =>
        shownText(text) !== '' && (
          <span key={i} class="row-more">
            <bdi>{renderText(text)}</bdi>
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
          {renderText(props.label)}
          <Optional required={props.required} />
        </label>
        {action !== undefined && (
          <button type="button" class="link" onClick={() => dispatch({ kind: 'act', action })}>
            {texts.readMore}
            <span class="unseen"> {texts.about(shownText(props.label))}</span>
          </button>
        )}
        <FieldNotes id={id} problem={problem} />
      </div>
    </div>
  );
}
