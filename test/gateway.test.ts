import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './gateway.js';
import { graphql } from './generated/gql.js';

describe('a gateway', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  it('tells a viewer who it is', async () => {
    const member = await gateway.createOrganization('Readers').createAccount({ name: 'Ada', role: 'MEMBER' });
    const token = await member.createToken();
    const data = await gateway.execute(
      graphql(`query WhoIAm { viewer { account { name organization { name } } role } }`),
      {
        token,
      },
    );
    expect(data).toEqual({
      viewer: { account: { name: 'Ada', organization: { name: 'Readers' } }, role: 'MEMBER' },
    });
  });
});
