package main

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// allOptions returns the options of a command as it reads its arguments.
func allOptions(cmd command) []*option { return append(generalOptions(), cmd.options...) }

// allCommands returns the root command and all others, without their actions.
func allCommands() []command {
	return append([]command{{options: runOptions()}}, commands()...)
}

func TestNormalize(t *testing.T) {
	for _, c := range []struct {
		why  string
		args []string
		want []string
	}{
		{"nothing", nil, nil},
		{"the canonical form stays", []string{"--threads=16", "--debug"}, []string{"--threads=16", "--debug"}},
		{"a value of its own", []string{"--threads", "16"}, []string{"--threads=16"}},
		{"a short flag", []string{"-z", "16"}, []string{"--threads=16"}},
		{"glued", []string{"-z16"}, []string{"--threads=16"}},
		{"glued with an equals sign", []string{"-z=16"}, []string{"--threads=16"}},
		{"switches behind one dash", []string{"-dL"}, []string{"--debug", "--latency"}},
		{"switches and a glued value", []string{"-dLz16"}, []string{"--debug", "--latency", "--threads=16"}},
		{"switches and a value of its own", []string{"-dLz", "16"}, []string{"--debug", "--latency", "--threads=16"}},
		{"switches, an equals sign and a value", []string{"-dz=16"}, []string{"--debug", "--threads=16"}},
		{"a long name behind one dash", []string{"-threads", "16"}, []string{"--threads=16"}},
		{"the same with an equals sign", []string{"-threads=16"}, []string{"--threads=16"}},
		{"a long name is tried before glued values", []string{"-set", "x"}, []string{"--set=x"}},
		{"no long name: glued", []string{"-settee"}, []string{"--set=ettee"}},
		{"an alias behind one dash", []string{"-upn", "mod"}, []string{"--udf-package-name=mod"}},
		{"an alias behind two", []string{"--upn=mod"}, []string{"--udf-package-name=mod"}},
		{"a value that begins with a dash", []string{"-e", "-1"}, []string{"--expiration-time=-1"}},
		{"the same glued", []string{"-e-1"}, []string{"--expiration-time=-1"}},
		{"the same behind a long name", []string{"--expiration-time", "-2"}, []string{"--expiration-time=-2"}},
		{"a constant of an object spec", []string{"-o", "-10,I4"}, []string{"--object-spec=-10,I4"}},
		{"a lone dash as a value", []string{"-n", "-"}, []string{"--namespace=-"}},
		{"two dashes as a value", []string{"-n", "--", "-d"}, []string{"--namespace=--", "--debug"}},
		{"a value with equals signs", []string{"-o", "a=b=c"}, []string{"--object-spec=a=b=c"}},
		{"the same behind an equals sign", []string{"--object-spec=a=b=c"}, []string{"--object-spec=a=b=c"}},
		{"an empty value", []string{"-s", ""}, []string{"--set="}},
		{"an empty value behind an equals sign", []string{"--set="}, []string{"--set="}},
		{"a value like a flag, on purpose", []string{"--set=--debug"}, []string{"--set=--debug"}},
		{"no password", []string{"-P", "-d"}, []string{"--password=", "--debug"}},
		{"no password, last", []string{"--password"}, []string{"--password="}},
		{"a glued password", []string{"-Psecret"}, []string{"--password=secret"}},
		{"a glued password with an equals sign in it", []string{"-Ppass=word"}, []string{"--password=pass=word"}},
		{"a password that looks like a flag's name", []string{"-Port"}, []string{"--password=ort"}},
		{"a bin that looks like a flag's name", []string{"-bIn"}, []string{"--bin=In"}},
		{"Java's -latency", []string{"-latency", "7,1", "-d"}, []string{"--latency-columns=7,1", "--debug"}},
		{"the same with an equals sign", []string{"--latency=alt,7,1,us"}, []string{"--latency-columns=alt,7,1,us"}},
		{"the same with a mistake, which the flag tells of", []string{"-latency", "7,x"}, []string{"--latency-columns=7,x"}},
		{"ycsb has no numbers", []string{"-latency", "ycsb"}, []string{"--latency-columns=ycsb"}},
		{"an older asbench's -L", []string{"-L", "4,3"}, []string{"--latency-columns=4,3"}},
		{"the same glued", []string{"-dL4,3"}, []string{"--debug", "--latency-columns=4,3"}},
		{"the same behind other switches", []string{"-dL", "4,3"}, []string{"--debug", "--latency-columns=4,3"}},
		{"asbench's -L", []string{"-L", "-z", "4"}, []string{"--latency", "--threads=4"}},
		{"no layout: not a value of -L", []string{"-L", "7"}, []string{"--latency", "--", "7"}},
		{"what is no flag comes last", []string{"a", "-d", "b", "-z", "4", "c"}, []string{"--debug", "--threads=4", "--", "a", "b", "c"}},
		{"behind two dashes nothing is a flag", []string{"-d", "--", "-z", "--", "x"}, []string{"--debug", "--", "-z", "--", "x"}},
		{"two dashes alone", []string{"-d", "--"}, []string{"--debug"}},
		{"a lone dash is no flag", []string{"-", "-d"}, []string{"--debug", "--", "-"}},
		{"an empty argument is no flag", []string{"", "-d"}, []string{"--debug", "--", ""}},
		{"twice: the later one follows", []string{"-z1", "-z2"}, []string{"--threads=1", "--threads=2"}},
		{"help and version", []string{"--help", "-V"}, []string{"--help", "--version"}},
	} {
		var log bytes.Buffer
		got, err := normalize(c.args, allOptions(allCommands()[0]), &log)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: normalize(%q) = %q, %v; want %q", c.why, c.args, got, err, c.want)
		}
		if log.Len() > 0 {
			t.Errorf("%s: normalize(%q) warns: %s", c.why, c.args, &log)
		}
	}
}

// The old spellings are those that asbench lists, in its main.c.
func TestNormalizeCamelCase(t *testing.T) {
	spellings := map[string]string{
		"servicesAlternate": "services-alternate", "startKey": "start-key", "udfPackageName": "udf-package-name",
		"udfFunctionName": "udf-function-name", "udfFunctionValues": "udf-function-values", "objectSpec": "object-spec",
		"workloadStages": "workload-stages", "readBins": "read-bins", "writeBins": "write-bins", "batchSize": "batch-size",
		"compressionRatio": "compression-ratio", "socketTimeout": "socket-timeout", "readSocketTimeout": "read-socket-timeout",
		"writeSocketTimeout": "write-socket-timeout", "readTimeout": "read-timeout", "writeTimeout": "write-timeout",
		"maxRetries": "max-retries", "outputFile": "output-file", "outputPeriod": "output-period", "hdrHist": "hdr-hist",
		"readModeAP": "read-mode-ap", "readModeSC": "read-mode-sc", "commitLevel": "commit-level",
		"connPoolsPerNode": "conn-pools-per-node", "durableDelete": "durable-delete", "asyncMaxCommands": "async-max-commands",
		"eventLoops": "event-loops", "tlsEnable": "tls-enable", "tlsCaFile": "tls-cafile", "tlsCaPath": "tls-capath",
		"tlsProtocols": "tls-protocols", "tlsCipherSuite": "tls-cipher-suite", "tlsCrlCheck": "tls-crl-check",
		"tlsCrlCheckAll": "tls-crl-check-all", "tlsCertBlackList": "tls-cert-blacklist",
		"tlsLogSessionInfo": "tls-log-session-info", "tlsKeyFile": "tls-keyfile", "tlsKeyFilePassword": "tls-keyfile-password",
		"tlsCertFile": "tls-certfile", "tlsLoginOnly": "tls-login-only",
	}
	options := allOptions(allCommands()[0])
	for old, name := range spellings {
		n := normalizer{options: options}
		o := n.long(name)
		if o == nil {
			t.Errorf("there is no flag --%s", name)
			continue
		}
		value, want := "", "--"+name
		if o.arg != "" {
			value, want = "=x", want+"=x"
		}
		for _, dashes := range []string{"-", "--"} {
			var log bytes.Buffer
			got, err := normalize([]string{dashes + old + value}, options, &log)
			if err != nil || !slices.Equal(got, []string{want}) {
				t.Errorf("normalize(%s%s) = %q, %v; want %s", dashes, old, got, err, want)
			}
			if want := "warning: the flag " + old + " is now spelled --" + name + "\n"; log.String() != want {
				t.Errorf("normalize(%s%s) warns %q, want %q", dashes, old, &log, want)
			}
		}
	}
}

// asbench reads its flags with getopt_long_only, which takes the beginning of a
// name for the name if no other flag of asbench begins so.
func TestNormalizeShortened(t *testing.T) {
	for _, c := range []struct {
		why  string
		args []string
		want []string
		name string
	}{
		{"behind two dashes", []string{"--thre", "4"}, []string{"--threads=4"}, "thre"},
		{"with an equals sign", []string{"--durat=5"}, []string{"--duration=5"}, "durat"},
		{"behind one dash", []string{"-thre", "4"}, []string{"--threads=4"}, "thre"},
		{"a switch", []string{"--lat", "-d"}, []string{"--latency", "--debug"}, "lat"},
		{"one of asbench's, though aeroload has --hdr-log", []string{"--hdr", "x"}, []string{"--hdr-hist=x"}, "hdr"},
		{"one of asbench's, though aeroload has --on-error", []string{"--o=I4"}, nil, ""},
		{"an old spelling", []string{"--maxRetr", "2"}, []string{"--max-retries=2"}, "maxRetr"},
		{"a password", []string{"--passw=secret"}, []string{"--password=secret"}, "passw"},
		{"behind one dash a letter's value if that is unclear", []string{"-ba"}, []string{"--bin=a"}, ""},
	} {
		var log bytes.Buffer
		got, err := normalize(c.args, allOptions(allCommands()[0]), &log)
		if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("%s: normalize(%q) = %q, %v; want %q", c.why, c.args, got, err, c.want)
		}
		want := ""
		if c.name != "" {
			name, _, _ := strings.Cut(c.want[0], "=")
			want = "warning: the flag " + c.name + " is taken for " + name + "\n"
		}
		if log.String() != want {
			t.Errorf("%s: normalize(%q) warns %q, want %q", c.why, c.args, &log, want)
		}
	}
	if got := secretSpans([]string{"--passw=secret"}, allOptions(allCommands()[0])); !slices.Equal(got, []span{{0, 8}}) {
		t.Errorf("the password in --passw=secret is at %v, want 0, 8", got)
	}
}

func TestNormalizeErrors(t *testing.T) {
	for _, c := range []struct {
		why  string
		args []string
		want string
	}{
		{"a typing error", []string{"--threds", "8"}, `unknown flag --threds; did you mean "--threads"?`},
		{"short for several of asbench's", []string{"--th", "8"}, `the flag --th is short for several: --throughput, --threads`},
		{"the same behind one dash", []string{"-tls-c=x"},
			`the flag -tls-c is short for several: --tls-cafile, --tls-capath, --tls-cipher-suite, --tls-crl-check, --tls-crl-check-all, --tls-cert-blacklist, --tls-certfile`},
		{"the beginning of a flag that asbench lacks", []string{"--progr=off"}, `unknown flag --progr; did you mean "--progress"?`},
		{"of several", []string{"--metrics", "x"}, `unknown flag --metrics; did you mean "--metrics-listen" or "--metrics-linger"?`},
		{"the same behind one dash", []string{"-latencies"}, `unknown flag -latencies; did you mean "--latency"?`},
		{"nothing is close", []string{"--banana"}, `unknown flag --banana`},
		{"near an alias", []string{"--connexion-timeout", "5"}, `unknown flag --connexion-timeout; did you mean "--connection-timeout"?`},
		{"the value may be secret", []string{"--pasword=secret"}, `unknown flag --pasword; did you mean "--password"?`},
		{"a short flag that is none", []string{"-x"}, `unknown flag -x`},
		{"a short flag behind two dashes", []string{"--z", "5"}, `unknown flag --z`},
		{"three dashes", []string{"---keys", "5"}, `unknown flag ---keys; did you mean "--keys"?`},
		{"no name", []string{"--=5"}, `unknown flag --`},
		{"no name behind one dash", []string{"-=5"}, `unknown flag -`},
		{"a letter that is none", []string{"-dx"}, `unknown flag -x in -dx`},
		{"what may be a password behind it is not shown", []string{"-dxPsecret"}, `unknown flag -x in -dx…`},
		{"a password apart behind nothing", []string{"--password=", "secret"}, `--password=: its value is written without a blank before it: --password=PASSWORD`},
		{"a password glued to a long name", []string{"--passwordsecret"}, `unknown flag --password…; did you mean "--password"?`},
		{"the same behind one dash, which is no port", []string{"-passwordsecret"}, `unknown flag -password…; did you mean "--password"?`},
		{"the same in a shortened name", []string{"-passsecret"}, `unknown flag -pass…; did you mean "--password"?`},
		{"of a key, which is no duration", []string{"-tls-keyfile-passwordsecret"}, `unknown flag -tls-keyfile-password…; did you mean "--tls-keyfile-password"?`},
		{"behind letters that are none", []string{"-xLPsecret"}, `unknown flag -xLP…`},
		{"behind two dashes", []string{"--Psecret"}, `unknown flag --P…`},
		{"a letter of two bytes", []string{"-dé"}, `unknown flag -é in -dé`},
		{"a letter of two bytes alone", []string{"-é"}, `unknown flag -é`},
		{"a switch with a value", []string{"--latency=yes"}, `--latency=yes: --latency is a switch and takes no value`},
		{"the same with a short name", []string{"-L=yes"}, `-L=yes: --latency is a switch and takes no value`},
		{"no value", []string{"--threads"}, `--threads needs a value: N`},
		{"no value of a short flag", []string{"-z"}, `-z (--threads) needs a value: N`},
		{"no value of the last of several", []string{"-dz"}, `-dz (--threads) needs a value: N`},
		{"no value of an alias", []string{"-upn"}, `-upn (--udf-package-name) needs a value: MODULE`},
		{"a flag where the value should be", []string{"--threads", "--port", "3000"}, `--threads needs a value, not the flag --port: N`},
		{"the same with its value", []string{"-z", "--port=3000"}, `-z (--threads) needs a value, not the flag --port: N`},
		{"-h for the help", []string{"-h"}, `-h (--hosts) needs a value: HOST[:TLSNAME][:PORT],…; for the help use --help`},
		{"a password apart, which is not shown", []string{"-P", "secret"}, `-P: its value is written without a blank before it: --password=PASSWORD`},
		{"several at once", []string{"--foo", "-z", "4", "-x", "--threds=5", "-L=1"}, "unknown flag --foo\nunknown flag -x\n" +
			"unknown flag --threds; did you mean \"--threads\"?\n-L=1: --latency is a switch and takes no value"},
	} {
		got, err := normalize(c.args, allOptions(allCommands()[0]), io.Discard)
		if err == nil {
			t.Errorf("%s: normalize(%q) = %q, want an error", c.why, c.args, got)
			continue
		}
		if err.Error() != c.want {
			t.Errorf("%s: normalize(%q):\ngot  %s\nwant %s", c.why, c.args, err, c.want)
		}
		if usage := (*usageError)(nil); !errors.As(err, &usage) {
			t.Errorf("%s: normalize(%q) gives a %T", c.why, c.args, err)
		}
	}
}

// TestNormalizeHidesPasswords gives passwords to the commands that have no flag for
// them.
func TestNormalizeHidesPasswords(t *testing.T) {
	for _, arg := range []string{"-Psecret", "-P=secret", "-LPsecret", "-dLPsecret", "-password=secret", "-passwordsecret", "--passwordsecret",
		"--passwdsecret", "--Psecret", "-tls-keyfile-passwordsecret", "--tlsKeyFilePasswordsecret", "-Ubob:secret:read"} {
		for _, cmd := range commands() {
			var log bytes.Buffer
			err := cmd.run(newSettings(), []string{arg}, &log, &log)
			if err == nil || strings.Contains(err.Error()+log.String(), "secret") {
				t.Errorf("aeroload %s %s: %v\n%s", cmd.name, arg, err, &log)
			}
		}
	}
}

// A name that two options share would silently belong to the first of them.
func TestNamesAreUnique(t *testing.T) {
	for _, cmd := range allCommands() {
		owners := map[string]string{}
		claim := func(name, owner string) {
			if other, ok := owners[name]; ok {
				t.Errorf("aeroload %s: %s and %s are both known as %q", cmd.name, other, owner, name)
			}
			owners[name] = owner
		}
		for _, o := range allOptions(cmd) {
			if len(o.short) > 1 || len(o.name) < 2 {
				t.Errorf("%q and %q are not a long name and a letter", o.name, o.short)
			}
			if o.short != "" {
				claim(o.short, o.name)
			}
			for _, name := range append([]string{o.name}, o.aliases...) {
				claim(name, o.name)
				if strings.Contains(name, "-") {
					claim(strings.ReplaceAll(name, "-", ""), o.name+" (in camelCase)")
				}
			}
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, line := range []string{
		"", "-z16", "-z 16", "-dLz=16", "-upn x", "--maxRetries 3", "--thre 4", "-thr 4", "--passw=x", "--connection-timeout=5", "-P", "-Psecret -d", "-e -1",
		"-- -d", "-", "-=x", "--=x", "---", "-é", "-dé", "--hosts --port", "-h", "--help", "-V x", "x y -k 5", "--percentiles=NaN",
		"-T 9999999999999999999", "--tls-log-session-info", "-o [3*I4] -b x", "--listen :0", "--listen", "--set= ", "x --help", "x -V", "-- --help",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, " ")
		for _, cmd := range allCommands() {
			options := allOptions(cmd)
			out, err := normalize(args, options, io.Discard)
			if err != nil {
				if usage := (*usageError)(nil); !errors.As(err, &usage) || err.Error() == "" {
					t.Fatalf("%q: %T %q", args, err, err)
				}
				continue
			}
			again, err := normalize(out, options, io.Discard)
			if err != nil || !slices.Equal(again, out) {
				t.Fatalf("%q becomes %q, and that becomes %q, %v", args, out, again, err)
			}
			flags, operands := out, []string(nil)
			if i := slices.Index(out, "--"); i >= 0 {
				flags, operands = out[:i], out[i+1:]
			}
			n := normalizer{options: options}
			asks := false // for help or the version
			for _, token := range flags {
				name, value, hasValue := strings.Cut(token, "=")
				o := n.long(strings.TrimPrefix(name, "--"))
				if !strings.HasPrefix(token, "--") || o == nil || "--"+o.name != name {
					t.Fatalf("%q becomes %q, with the unknown %q", args, out, token)
				}
				if hasValue != (o.arg != "") {
					t.Fatalf("%q becomes %q: %q is given the value %q", args, out, name, value)
				}
				asks = asks || name == "--help" || name == "--version"
			}
			ran := false
			cmd.action = func(_ *settings, got []string, _, _ io.Writer) error {
				ran = true
				if !slices.Equal(got, operands) {
					t.Fatalf("%q: the action gets %q, want %q", args, got, operands)
				}
				return nil
			}
			err = cmd.run(newSettings(), args, io.Discard, io.Discard)
			if usage := (*usageError)(nil); err != nil && !errors.As(err, &usage) {
				t.Fatalf("%q: %T %v", args, err, err)
			}
			if ran != (err == nil && !asks) {
				t.Fatalf("%q: the action ran: %t; error %v", args, ran, err)
			}
		}
	})
}
