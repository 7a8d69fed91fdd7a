import { Footer, Layout, Navbar } from 'nextra-theme-docs';
import { Banner } from 'nextra/components';
import { getPageMap } from 'nextra/page-map';

export const metadata = { title: { default: 'Cinder', template: '%s – Cinder' } };

export default async function Root({ children }) {
  return (
    <html lang="en" dir="ltr" suppressHydrationWarning>
      <body>
        <Layout
          banner={<Banner>Cinder 3 has arrived, see what changed</Banner>}
          navbar={<Navbar logo={<b>Cinder Furnaces</b>} projectLink="https://github.com/cinder/cinder" />}
          pageMap={await getPageMap()}
          docsRepositoryBase="https://github.com/cinder/cinder/tree/main"
          footer={<Footer>MIT 2025 © Cinder Furnaces.</Footer>}
        >
          {children}
        </Layout>
      </body>
    </html>
  );
}
