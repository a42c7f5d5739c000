import { useEffect, useState } from 'preact/hooks';
import { texts } from './texts.js';

/** A file that was chosen and not sent yet. */
export default function ChosenFile({ file, remove }: { file: File; remove: () => void }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!file.type.startsWith('image/')) return;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return (
    <p class="chosen">
      {url !== undefined && <img src={url} alt="" />}
      <bdi class="grow">{file.name}</bdi>
      <small class="quiet">{texts.kb(Math.ceil(file.size / 1_024))}</small>
      <button type="button" class="button plain" onClick={remove}>
        {texts.remove}
      </button>
    </p>
  );
}
