import { useState } from 'preact/hooks';
import { ActForm, Field } from '../../components/act.js';
import { announce } from '../../data/announce.js';
import type { ShownFlow } from './flow-records.js';

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
      label="Details"
      verb="Save the details"
      action={{ method: 'PATCH', path: `/flows/${flow.id}`, payload }}
      done={() => {
        announce('The details are saved');
        changed();
      }}
    >
      <Field label="Name" value={name} set={setName} />
      <Field label="Categories" value={categories} set={setCategories} note="Such as SURVEY or APPOINTMENT_BOOKING, separated by commas" />
      <Field
        label="Endpoint"
        type="url"
        required={false}
        value={endpoint}
        set={setEndpoint}
        note="The network calls it for data_exchange; the preview does not"
      />
      <Field label="Application" required={false} value={application} set={setApplication} note="A flow with an endpoint requires one" />
    </ActForm>
  );
}
