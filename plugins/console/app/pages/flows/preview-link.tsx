import { useState } from 'preact/hooks';
import { ActError, useAct } from '../../components/act.js';
import { CopyText } from '../../components/copy.js';
import { Time } from '../../components/time.js';
import { ToolAction } from '../../components/tool-action.js';
import { texts } from './texts.js';

interface Preview {
  readonly preview_url: string;
  readonly expires_at: string;
}

/** The address of the preview, which requires no sign-in. */
export function PreviewLink({ id }: { id: string }) {
  const [preview, setPreview] = useState<Preview>();
  const act = useAct();
  const done = (result: unknown) => setPreview(result as Preview);
  const path = `/flows/${id}/preview`;
  return (
    <>
      <div class="buttons">
        <ToolAction
          act={act}
          action={{ method: 'POST', path, payload: {} }}
          label={texts.showTheLink}
          announcement={texts.theLinkIsShown}
          done={done}
        />
        <ToolAction
          act={act}
          action={{ method: 'POST', path, payload: { invalidate: true } }}
          label={texts.replaceIt}
          announcement={texts.theLinkIsReplacedThe}
          confirm={{ title: texts.askReplaceLink, text: texts.whatReplacingDoes, verb: texts.replaceTheLink }}
          done={done}
        />
      </div>
      <ActError error={act.error} />
      {preview && (
        <p>
          <CopyText text={preview.preview_url} label={texts.theLinkToThePreview} />{' '}
          <small>{texts.until(<Time at={preview.expires_at} />)}</small>
        </p>
      )}
    </>
  );
}
