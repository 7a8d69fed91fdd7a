/** One client of each dialect. `test/release/old-clients.test.ts` tests the others. */
import { clientsIn, testClients } from '../support/client-scenarios.ts';

testClients(await clientsIn(new URL('../support/clients/', import.meta.url)));
