import { useState } from 'preact/hooks';
import { ActForm, Field } from '../../components/act.js';
import { announce } from '../../data/announce.js';
import type { ShownFlow } from './flow-records.js';
import { texts } from './texts.js';

/** Changes the name, the categories and the endpoint of a draft. */
export default function FlowSettings({ flow, changed }: { flow: ShownFlow; changed: () => void }) {
  const [name, setName] = useState(flow.name);
  const [categories, setCategories] = useState(flow.categories.join(', '));
  const [endpoint, setEndpoint] = useState(flow.endpoint_uri ?? '');
  const [application, setApplication] = useState(flow.application_id ?? '');
  const payload = {
    name,
    categories: categories.split(/[\s,]+/).filter(Boolean),
    endpoint_uri: endpoint || null,
    application_id: application || null,
  };
  return (
    <ActForm
      label={texts.details}
      verb={texts.saveTheDetails}
      action={{ method: 'PATCH', path: `/flows/${flow.id}`, payload }}
      done={() => {
        announce(texts.theDetailsAreSaved);
        changed();
      }}
    >
      <Field label={texts.name} value={name} set={setName} />
      <Field label={texts.categories} value={categories} set={setCategories} note={texts.suchAsSurveyOrAppointment} />
      <Field label={texts.endpoint} type="url" required={false} value={endpoint} set={setEndpoint} note={texts.theNetworkCallsItFor} />
      <Field label={texts.application} required={false} value={application} set={setApplication} note={texts.aFlowWithAnEndpoint} />
    </ActForm>
  );
}
