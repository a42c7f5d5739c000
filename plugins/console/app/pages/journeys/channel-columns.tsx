import { useId } from 'preact/hooks';
import { texts } from './texts.js';

interface Seen {
  readonly text: string;
  readonly options: readonly string[];
  readonly file?: string;
}

interface PlayedOn {
  readonly channel: string;
  readonly title: string;
  readonly by: 'buttons' | 'numbers';
  readonly steps: readonly { readonly did: 'write' | 'choose' | 'wait'; readonly said: string; readonly seen: readonly Seen[] }[];
  readonly problems: readonly { readonly step: number; readonly what: string }[];
  readonly notes: readonly string[];
}

/** A test as it was played on all channels. */
export interface PlayedTest {
  readonly names: readonly string[];
  readonly name: string;
  readonly channels: readonly PlayedOn[];
}

interface Props {
  readonly played: PlayedTest;
  readonly chosen: string;
  readonly choose: (name: string) => void;
}

/** The same conversation on each channel, side by side: a row for each thing that the contact did. */
export default function ChannelColumns({ played: { names, name, channels }, chosen, choose }: Props) {
  const id = useId();
  const longest = channels.reduce((most, { steps }) => (steps.length > most.length ? steps : most), channels[0]!.steps);
  return (
    <section class="on-channels" aria-label={texts.onChannels}>
      <h2>{texts.onChannels}</h2>
      <div class="field">
        <label for={id}>{texts.playNext}</label>
        <select id={id} class="select" value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {names.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled with the keyboard */}
      <section class="channel-columns" aria-label={texts.conversationOnChannels(channels.length)} tabIndex={0}>
        <table>
          <caption dir="auto">{name}</caption>
          <thead>
            <tr>
              {channels.map(({ channel, title, problems, notes }) => (
                <th key={channel} scope="col">
                  {title}
                  {problems.length > 0 && <small class="differs">{texts.differs}</small>}
                  {notes.map((note) => (
                    <small key={note} dir="auto">
                      {note}
                    </small>
                  ))}
                </th>
              ))}
            </tr>
          </thead>
          {longest.map(({ did, said }, step) => (
            <tbody key={step}>
              <tr>
                <th colSpan={channels.length} scope="rowgroup">
                  <span class={did === 'write' ? 'said' : 'said other'} dir="auto">
                    {did === 'wait' ? texts.pass(said) : said}
                  </span>
                </th>
              </tr>
              <tr>
                {channels.map((one) => (
                  <Cell key={one.channel} channel={one} step={step} />
                ))}
              </tr>
            </tbody>
          ))}
        </table>
      </section>
    </section>
  );
}

function Cell({ channel: { by, steps, problems }, step }: { readonly channel: PlayedOn; readonly step: number }) {
  const found = problems.filter((one) => one.step === step);
  return (
    <td class={found.length > 0 ? 'differs' : undefined}>
      {steps[step]?.seen.map(({ text, options, file }, i) => (
        <div key={i} class="shown" dir="auto">
          {file !== undefined && <em>{file}</em>}
          {text}
          {options.length > 0 && (
            <ul class={by}>
              {options.map((title, n) => (
                <li key={title}>{by === 'numbers' ? `${n + 1} ${title}` : title}</li>
              ))}
            </ul>
          )}
        </div>
      ))}
      {found.map(({ what }) => (
        <p key={what} class="differs">
          {what}
        </p>
      ))}
    </td>
  );
}
