import { bodyOf, client, type Schemas } from '@/api/client';

export const feedbackMutations = {
  /** Says what the photograph of a scan shows, in place of what was said before. */
  give: (scanId: string) => (body: Schemas['NewScanFeedback']) =>
    bodyOf(client.POST('/api/scans/{id}/feedback', { params: { path: { id: scanId } }, body })),
  /** Takes back what was said, with the photo of a part that was made of the scan. */
  remove: (scanId: string) => () =>
    client.DELETE('/api/scans/{id}/feedback', { params: { path: { id: scanId } } }),
};
