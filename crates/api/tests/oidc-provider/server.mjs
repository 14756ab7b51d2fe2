// A sign-in provider for tests: the real library, with people who sign in without being asked.
//
// Takes the address to send browsers back to, and the one by which it is called itself; prints where it listens as the
// first line. A request to /test/next sets what the next sign-in is like: who signs in,
// what is wrong with the answer (`fault`), and the file of their `picture` at /people/picture, in base64.

import { createServer } from 'node:http';
import { createSign, generateKeyPairSync } from 'node:crypto';
import Provider from 'oidc-provider';

const [redirectUri, issuer] = process.argv.slice(2);

/** @type {{ sub: string, claims: object, claimsInToken?: boolean, fault?: string, picture?: string }} */
let next = { sub: 'nobody', claims: {} };

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = { ...privateKey.export({ format: 'jwk' }), kid: 'only', use: 'sig', alg: 'RS256' };

function makeProvider(issuer, hasClaimsInToken) {
  const provider = new Provider(issuer, {
    clients: [
      { client_id: 'partsight', client_secret: 'a secret between us', redirect_uris: [redirectUri] },
    ],
    jwks: { keys: [key] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name', 'picture'] },
    cookies: { keys: ['only for tests'] },
    features: { devInteractions: { enabled: false } },
    // Some providers put the claims into the token, some want a call of their own.
    conformIdTokenClaims: !hasClaimsInToken,
    pkce: { required: () => true },
    ttl: { AuthorizationCode: 600, IdToken: 3600, AccessToken: 600, Grant: 3600, Session: 3600, Interaction: 600 },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...next.claims }) }),
  });
  provider.use(async (ctx, proceed) => {
    await proceed();
    if (ctx.oidc?.route === 'token' && ctx.body?.id_token) ctx.body.id_token = tampered(ctx.body.id_token);
    if (ctx.oidc?.route === 'userinfo' && next.fault === 'other-subject') ctx.body.sub = 'somebody else';
  });
  return provider;
}

/** The token with the fault that the test asked for. */
function tampered(token) {
  const [header, payload, signature] = token.split('.');
  if (next.fault === 'bad-signature') {
    return [header, encoded({ ...claimsOf(payload), sub: 'admin' }), signature].join('.');
  }
  if (next.fault === 'expired') return sign({ ...claimsOf(payload), exp: Math.floor(Date.now() / 1000) - 60 });
  if (next.fault === 'other-audience') return sign({ ...claimsOf(payload), aud: 'somebody-else' });
  if (next.fault === 'other-issuer') return sign({ ...claimsOf(payload), iss: 'http://127.0.0.1:1' });
  if (next.fault === 'no-signature') {
    return [encoded({ alg: 'none', typ: 'JWT' }), payload, ''].join('.');
  }
  return token;
}

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsOf = (payload) => JSON.parse(Buffer.from(payload, 'base64url').toString());

/** A token that the provider did sign, with other claims. */
function sign(claims) {
  const body = `${encoded({ alg: 'RS256', typ: 'JWT', kid: 'only' })}.${encoded(claims)}`;
  return `${body}.${createSign('RSA-SHA256').update(body).sign(privateKey, 'base64url')}`;
}

/** Signs the person in who is next, and agrees to everything. */
async function interact(provider, request, response) {
  const details = await provider.interactionDetails(request, response);
  if (next.fault === 'cancelled') {
    return provider.interactionFinished(request, response, { error: 'access_denied' });
  }
  if (details.prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: next.sub } });
  }
  const grant = new provider.Grant({ accountId: details.session.accountId, clientId: details.params.client_id });
  grant.addOIDCScope('openid email profile');
  const grantId = await grant.save();
  return provider.interactionFinished(request, response, { consent: { grantId } }, { mergeWithLastSubmission: true });
}

const server = createServer();
// A connection is open until the other side closes it: on a busy machine a test is at other things for longer than Node
// keeps an idle one, and a call would come just as it ends.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  const variants = [makeProvider(issuer, false), makeProvider(issuer, true)];
  server.on('request', async (request, response) => {
    try {
      const url = new URL(request.url, issuer);
      if (url.pathname === '/test/next') {
        let body = '';
        for await (const chunk of request) body += chunk;
        next = JSON.parse(body);
        return response.end('ok');
      }
      if (url.pathname === '/people/picture') {
        if (next.picture === undefined) response.statusCode = 404;
        return response.end(Buffer.from(next.picture ?? '', 'base64'));
      }
      const provider = variants[next.claimsInToken ? 1 : 0];
      if (url.pathname.startsWith('/interaction/')) return await interact(provider, request, response);
      return await provider.callback()(request, response);
    } catch (error) {
      response.statusCode = 500;
      return response.end(String(error));
    }
  });
  console.log(`127.0.0.1:${server.address().port}`);
});
