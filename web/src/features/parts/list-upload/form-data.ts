/** A list to be checked or uploaded. */
export type ListUpload<Form> = {
  form: Form;
  /** Which column holds what, where the server does not recognise it by its name. */
  mapping: Record<string, string>;
  file: File;
  dryRun: boolean;
  skipErrors: boolean;
};

/** What travels: the text fields that are filled in, as the server names them, and the file. */
export function listBody({
  form,
  mapping,
  file,
  dryRun,
  skipErrors,
}: ListUpload<Record<string, string>>): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(form)) {
    if (value.trim() !== '') body.append(name, value.trim());
  }
  if (Object.keys(mapping).length > 0) body.append('mapping', JSON.stringify(mapping));
  body.append('dryRun', String(dryRun));
  body.append('skipErrors', String(skipErrors));
  // The server reads the file while it arrives, so everything else comes before it.
  body.append('file', file, file.name);
  return body;
}
