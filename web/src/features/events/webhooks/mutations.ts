import { bodyOf, client, type Schemas } from '@/api/client';

const of = (id: string) => ({ params: { path: { id } } });

export const webhookMutations = {
  create: (body: Schemas['WebhookForm']) => bodyOf(client.POST('/api/webhooks', { body })),
  update: ({ id, ...body }: Schemas['WebhookForm'] & { id: string }) =>
    bodyOf(client.PUT('/api/webhooks/{id}', { ...of(id), body })),
  delete: (id: string) => client.DELETE('/api/webhooks/{id}', of(id)),
  renewSecret: (id: string) => bodyOf(client.POST('/api/webhooks/{id}/secret', of(id))),
  test: (id: string) => bodyOf(client.POST('/api/webhooks/{id}/test', of(id))),
  resendDead: (id: string) => bodyOf(client.POST('/api/webhooks/{id}/deliveries/retry', of(id))),
  resend: ({ id, event }: { id: string; event: string }) =>
    client.POST('/api/webhooks/{id}/deliveries/{event}/retry', { params: { path: { id, event } } }),
};
