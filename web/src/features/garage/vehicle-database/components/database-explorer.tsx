import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SelectField } from '@/components/ui/select-field';
import { AnswerList } from '@/features/garage/vehicle-database/components/answer-list';
import { DEFAULT_YEAR, factsOf, YEARS } from '@/features/garage/vehicle-database/model';
import { vehicleDatabaseQueries } from '@/features/garage/vehicle-database/queries';

/** Asks the vehicle database year by make by model, and lists all that it answers. */
export function DatabaseExplorer() {
  const [year, setYear] = useState(DEFAULT_YEAR);
  const [makeId, setMakeId] = useState('');
  const [modelId, setModelId] = useState('');
  const makes = useQuery(vehicleDatabaseQueries.makes(year));
  const models = useQuery(vehicleDatabaseQueries.models(year, makeId));
  const specs = useQuery(vehicleDatabaseQueries.specs(year, makeId, modelId));

  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <SelectField
          label="Year"
          value={year}
          onChange={(event) => {
            setYear(event.target.value);
            setMakeId('');
            setModelId('');
          }}
        >
          {YEARS.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </SelectField>
        <SelectField
          label="Make"
          value={makeId}
          options={namesOf(makes.data)}
          onChange={(event) => {
            setMakeId(event.target.value);
            setModelId('');
          }}
        >
          <option value="">Select a make</option>
        </SelectField>
        <SelectField
          label="Model"
          value={modelId}
          options={namesOf(models.data)}
          disabled={makeId === ''}
          onChange={(event) => setModelId(event.target.value)}
        >
          <option value="">Select a model</option>
        </SelectField>
      </div>
      <div className="grid gap-4 lg:grid-cols-3">
        <AnswerList
          title="Makes"
          hint=""
          answer={makes}
          item={({ id, name, country }) => ({ id, name, facts: pair('Country', country) })}
        />
        <AnswerList
          title="Models"
          hint="Select a make."
          answer={models}
          item={({ id, name, body }) => ({ id, name, facts: pair('Body', body) })}
        />
        <AnswerList
          title="Engine variants"
          hint="Select a make and a model."
          answer={specs}
          item={(spec) => ({ id: spec.id, name: spec.engine, facts: factsOf(spec) })}
        />
      </div>
    </>
  );
}

function pair(term: string, value: string | null) {
  return value === null ? [] : [[term, value] as const];
}

/** Names by id, to choose from. */
function namesOf(answer: { id: string; name: string }[] = []): Map<string, string> {
  return new Map(answer.map(({ id, name }) => [id, name]));
}
