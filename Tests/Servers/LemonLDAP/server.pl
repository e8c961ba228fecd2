#!/usr/bin/perl
# server.pl DIRECTORY FILES - serves the portal of LemonLDAP::NG at a free port of 127.0.0.1, over plain http, with the users that
# its demonstration has: a public client, a confidential one whose ID Tokens name a further audience, and registration for
# everybody. FILES is the folder that its packages were unpacked in. Writes DIRECTORY/instance.json when it can be used.
# Everything is kept in DIRECTORY.
use strict;
use warnings;
use AnyEvent;
use Crypt::OpenSSL::Random;
use Crypt::OpenSSL::RSA;
use IO::Socket::INET;
use JSON;
use Lemonldap::NG::Portal::Main;
use Plack::Builder;
use Twiggy::Server;

# The server compares the ports of loopback addresses as well: whoever signs in takes one of these.
use constant PORTS => 8;

# The server loads a module that draws riddles, whether or not one is shown; its own needs a library of pictures.
package NoRiddle { sub new { bless {}, shift } sub init { 1 } }
$INC{'NoRiddle.pm'} = __FILE__;

my ($directory, $files) = @ARGV;
my $share = "$files/usr/share/lemonldap-ng/portal";
umask 0077;
mkdir "$directory/$_" for qw(conf sessions sessions/lock persistent persistent/lock cache);

# The file is there when it is whole.
sub put {
    my ($name, $text) = @_;
    open my $file, '>', "$directory/$name.new" or die "$name: $!";
    print {$file} $text;
    close $file or die "$name: $!";
    rename "$directory/$name.new", "$directory/$name" or die "$name: $!";
}


# Ports that nobody has now, and that the system gives to nobody who asks for any.
my %ports;
while (keys %ports < PORTS) {
    my $port = 20000 + unpack('N', Crypt::OpenSSL::Random::random_bytes(4)) % 12000;
    $ports{$port} = 1 if IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 1);
}
my @redirect_uris = map { "http://127.0.0.1:$_/callback" } sort keys %ports;
# The server does not decode HTTP Basic as RFC 6749 section 2.3.1 has it, which these characters show.
my $secret = 'a+b/c%' . unpack 'H*', Crypt::OpenSSL::Random::random_bytes(16);
my $key = Crypt::OpenSSL::RSA->generate_key(2048);

sub client {
    my ($name, %more) = @_;
    my %options = (
        ClientID => $name, DisplayName => $name, IDTokenSignAlg => 'RS256', RefreshToken => 1, UserIDAttr => 'uid',
        RequirePKCE => 1, RedirectUris => join(' ', @redirect_uris), %more);
    return $name => { map { ("oidcRPMetaDataOptions$_" => $options{$_}) } keys %options };
}

my %clients = (
    client('public', Public => 1),
    client('confidential', ClientSecret => $secret, AdditionalAudiences => 'https://api.example'));

sub file_storage {
    my ($name) = @_;
    return { Directory => "$directory/$name", LockDirectory => "$directory/$name/lock",
        generateModule => 'Lemonldap::NG::Common::Apache::Session::Generate::SHA256' };
}

sub configuration {
    my ($origin) = @_;
    return {
        cfgNum => 1, cfgAuthor => 'test', cfgDate => time, cfgVersion => '2.16.1', portal => "$origin/", domain => '127.0.0.1',
        cookieName => 'lemonldap', securedCookie => 0, authentication => 'Demo', userDB => 'Same', passwordDB => 'Null',
        registerDB => 'Null', demoExportedVars => { cn => 'cn', mail => 'mail', uid => 'uid' }, whatToTrace => 'uid',
        locationRules => { '127.0.0.1' => { default => 'accept' } }, exportedHeaders => {},
        globalStorage => 'Apache::Session::File', globalStorageOptions => file_storage('sessions'),
        persistentStorage => 'Apache::Session::File', persistentStorageOptions => file_storage('persistent'),
        localSessionStorage => '', requireToken => 0, captcha => 'NoRiddle', captcha_mail_enabled => 0,
        captcha_register_enabled => 0, portalDisplayResetPassword => 0, portalDisplayRegister => 0,
        issuerDBOpenIDConnectActivation => 1, issuerDBOpenIDConnectPath => '^/oauth2/', issuerDBOpenIDConnectRule => 1,
        oidcServiceMetaDataIssuer => $origin, oidcServiceAllowDynamicRegistration => 1,
        oidcServicePrivateKeySig => $key->get_private_key_string, oidcServicePublicKeySig => $key->get_public_key_x509_string,
        oidcServiceKeyIdSig => 'key', oidcRPMetaDataOptions => \%clients,
        oidcRPMetaDataExportedVars => {
            map { $_ => { email => 'mail', name => 'cn', preferred_username => 'uid' } } keys %clients } };
}

my $application;

# The port is known once the server listens, and then the portal can be told its address.
sub start {
    my ($origin) = @_;
    put('conf/lmConf-1.json', to_json(configuration($origin)));
    put('lemonldap-ng.ini', <<"INI");
[all]
logLevel = warn
logger = Lemonldap::NG::Common::Logger::Std
checkTime = 1
[configuration]
type = File
dirName = $directory/conf
localStorage = Cache::FileCache
localStorageOptions = { 'namespace' => 'config', 'default_expires_in' => 1, 'cache_root' => '$directory/cache', 'cache_depth' => 1 }
[portal]
staticPrefix = /static
templateDir = $share/templates
languages = en
INI
    $ENV{LLNG_DEFAULTCONFFILE} = "$directory/lemonldap-ng.ini";
    my $builder = Plack::Builder->new;
    $builder->add_middleware('Static', path => sub { s{^/static/}{} }, root => "$share/htdocs/static");
    $application = $builder->wrap(Lemonldap::NG::Portal::Main->run({}));
    put('instance.json', to_json({
        pid => $$ + 0, directory => $directory, issuer => $origin, user => 'dwho', password => 'dwho', client_secret => $secret,
        redirect_uris => \@redirect_uris, audience => 'https://api.example' }, { canonical => 1, space_after => 1 }));
}

my $ready = AnyEvent->condvar;
# One process, for each learns of a registered client by itself, and connections that a browser does not use stop nobody.
my $server = Twiggy::Server->new(host => '127.0.0.1', server_ready => sub { $ready->send($_[0]{port}) });
$server->register_service(sub { $application->(@_) });
start('http://127.0.0.1:' . $ready->recv);
AnyEvent->condvar->recv;
