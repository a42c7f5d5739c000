import { type ComponentProps, shownText } from '../definition.js';
import { maxCharsOf } from '../inputs.js';
import { useInput } from '../stage.js';
import { describedBy, FieldNotes, Optional } from './field.js';
import { renderText } from './render-text.js';

const kinds: Readonly<Record<string, { type: string; inputMode: 'text' | 'decimal' | 'email' | 'numeric' | 'tel'; autocomplete: string }>> =
  {
    text: { type: 'text', inputMode: 'text', autocomplete: 'off' },
    number: { type: 'text', inputMode: 'decimal', autocomplete: 'off' },
    email: { type: 'email', inputMode: 'email', autocomplete: 'off' },
    password: { type: 'password', inputMode: 'text', autocomplete: 'new-password' },
    passcode: { type: 'password', inputMode: 'numeric', autocomplete: 'new-password' },
    phone: { type: 'tel', inputMode: 'tel', autocomplete: 'off' },
  };

export const TextInput = ({ component }: ComponentProps) => <TextField component={component} />;
export const TextArea = ({ component }: ComponentProps) => <TextField component={component} />;

function TextField({ component }: ComponentProps) {
  const { id, props, value, enabled, problem, set, touch } = useInput(component);
  const text = shownText(value);
  const isArea = component.type === 'TextArea';
  const { type, inputMode, autocomplete } = kinds[shownText(props['input-type'])] ?? kinds.text!;
  const max = maxCharsOf(props);
  const isLarge = props['label-variant'] === 'large';
  const common = {
    id,
    value: text,
    disabled: !enabled,
    dir: 'auto' as const,
    maxLength: max,
    placeholder: ' ',
    'aria-describedby': describedBy(id, props['helper-text'], problem),
    'aria-invalid': problem !== undefined,
    'aria-required': props.required === true,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => set(currentTarget.value),
    onBlur: touch,
  };
  const label = (
    <label for={id} dir="auto">
      {renderText(props.label)}
      <Optional required={props.required} />
    </label>
  );
  const isNearEnd = text.length > max * 0.8;
  return (
    <div class={`field ${isLarge ? 'large' : ''} ${problem ? 'has-problem' : ''}`}>
      {isLarge && label}
      <div class="box">
        {isArea ? <textarea {...common} rows={4} /> : <input {...common} type={type} inputMode={inputMode} autocomplete={autocomplete} />}
        {!isLarge && label}
      </div>
      <FieldNotes id={id} help={props['helper-text']} problem={problem} counter={isNearEnd ? `${text.length}/${max}` : undefined} />
    </div>
  );
}
