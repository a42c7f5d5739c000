import { useEffect, useRef } from 'preact/hooks';
import { useChat } from './context.js';
import { Back } from './icons.js';

/** The page with the form of a message, in place of the conversation. It is a frame, so that the website needs none of its parts. */
export function FormView() {
  const { chat, say } = useChat();
  const frame = useRef<HTMLIFrameElement>(null);
  const { form } = chat.form.value!;
  const url = new URL(form!.url!, chat.base).href;
  useEffect(() => frame.current?.focus(), []);
  return (
    <>
      <p class="notice">
        <button type="button" class="tool" aria-label={say('back')} title={say('back')} onClick={() => (chat.form.value = undefined)}>
          <Back />
        </button>
        {/* For pages whose policy forbids the frame. */}
        <a class="link" href={url} target="_blank" rel="noopener">
          {say('form_window')}
        </a>
      </p>
      <iframe ref={frame} class="middle" title={form!.cta} src={url} />
    </>
  );
}
