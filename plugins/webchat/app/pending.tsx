import { useChat } from './context.js';
import { bytes } from './file.js';
import type { Pending } from './queue.js';
import type { TextName } from './texts.js';
import type { Upload } from './uploads.js';

/** Why the server refused a message, in words. */
const REASONS: Readonly<Record<number, TextName>> = { 413: 'too_large', 415: 'wrong_type', 429: 'too_many_files', 409: 'expired' };
const reasonOf = (status: number): TextName => REASONS[status] ?? 'unsuitable';

/** A message that waits for the server, or was refused. */
export function PendingBubble({ entry: { client_id, body, refused } }: { entry: Pending }) {
  const { chat, say } = useChat();
  const { queue } = chat;
  const text = body.type === 'text' ? body.text : body.type === 'tap' ? body.title : [body.name, body.caption].filter(Boolean).join('\n');
  return (
    <article class="bubble in is-pending">
      <span class="unseen">{say('you')}</span>
      <p class="text" dir="auto">
        {text}
      </p>
      {refused === undefined ? (
        <p class="meta">{say('sending')}</p>
      ) : (
        <Failure reason={say(reasonOf(refused))} onAgain={() => queue.again(client_id)} onRemove={() => queue.remove(client_id)}>
          {body.type === 'text' && (
            <button
              type="button"
              class="link"
              onClick={() => {
                chat.draft.value = [chat.draft.value, body.text].filter(Boolean).join('\n');
                queue.remove(client_id);
              }}
            >
              {say('edit')}
            </button>
          )}
        </Failure>
      )}
    </article>
  );
}

/** A file that is uploaded, or was not. */
export function UploadBubble({ upload: { id, file, caption, progress, failed } }: { upload: Upload }) {
  const { chat, say } = useChat();
  const { uploads } = chat;
  return (
    <article class="bubble in is-pending">
      <span class="unseen">{say('you')}</span>
      <p class="text" dir="auto">
        {file.name} <small>{bytes(file.size)}</small>
        {caption && `\n${caption}`}
      </p>
      {failed === undefined ? (
        <p class="meta">
          <progress value={progress} max={1} aria-label={say('uploading', { name: file.name })} />
          <button type="button" class="link" onClick={() => uploads.remove(id)}>
            {say('discard')}
          </button>
        </p>
      ) : (
        <Failure
          reason={say(failed === 0 ? 'lost_file' : reasonOf(failed))}
          onAgain={() => uploads.again(id)}
          onRemove={() => uploads.remove(id)}
        />
      )}
    </article>
  );
}

type FailureProps = { reason: string; onAgain(): void; onRemove(): void; children?: preact.ComponentChildren };

function Failure({ reason, onAgain, onRemove, children }: FailureProps) {
  const { say } = useChat();
  return (
    <div class="failure">
      <p role="alert">
        {say('not_sent')}: {reason}
      </p>
      <button type="button" class="link" onClick={onAgain}>
        {say('again')}
      </button>
      {children}
      <button type="button" class="link" onClick={onRemove}>
        {say('discard')}
      </button>
    </div>
  );
}
