package dp

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
)

// A KDDTask says which traffic is the positive class.
type KDDTask string

const (
	KDDNormal KDDTask = "normal" // normal traffic against attacks (19.7 % positive); the task of the papers' tables
	KDDDoS    KDDTask = "dos"    // denial of service against the rest (79.2 % positive)
)

// kddDoS are the labels of denial-of-service attacks.
var kddDoS = strings.Fields("back land neptune pod smurf teardrop")

// KDDSchema is the public schema of the KDD Cup 1999 data (Hettich, Bay; doi 10.24432/C51C7N), 41 columns: 3 + 66 + 11 one-hot
// coordinates for protocol, service and flag, 38 numeric ones and a constant make 119. Rates are in [0, 1]; the counters of the
// two-second and the 100-connection windows have the ranges of the task description; the rest have round bounds from general
// knowledge (a day, a gigabyte), logarithmic where values range over powers of ten. Every row is divided by its own norm.
// Services that the 10 % file does not have map to zeros.
func KDDSchema(task KDDTask) (Schema, error) {
	var cs []Column
	add := func(c ...Column) { cs = append(cs, c...) }
	num := func(max float64, names string) {
		for _, n := range strings.Fields(names) {
			add(Column{Name: n, Max: max})
		}
	}
	heavy := func(max float64, names string) {
		for _, n := range strings.Fields(names) {
			add(Column{Name: n, Max: max, Log: true})
		}
	}
	heavy(86_400, "duration")
	add(Column{Name: "protocol_type", Levels: strings.Fields("icmp tcp udp")})
	add(Column{Name: "service", Other: true, Levels: strings.Fields("IRC X11 Z39_50 auth bgp courier csnet_ns ctf daytime discard domain domain_u echo eco_i ecr_i efs exec finger ftp ftp_data gopher hostnames http http_443 imap4 iso_tsap klogin kshell ldap link login mtp name netbios_dgm netbios_ns netbios_ssn netstat nnsp nntp ntp_u other pm_dump pop_2 pop_3 printer private red_i remote_job rje shell smtp sql_net ssh sunrpc supdup systat telnet tftp_u tim_i time urh_i urp_i uucp uucp_path vmnet whois")})
	add(Column{Name: "flag", Levels: strings.Fields("OTH REJ RSTO RSTOS0 RSTR S0 S1 S2 S3 SF SH")})
	heavy(1e9, "src_bytes dst_bytes")
	num(1, "land")
	num(5, "wrong_fragment urgent")
	num(100, "hot")
	num(5, "num_failed_logins")
	num(1, "logged_in")
	heavy(1000, "num_compromised")
	num(1, "root_shell")
	num(2, "su_attempted")
	heavy(1000, "num_root")
	num(100, "num_file_creations")
	num(5, "num_shells")
	num(10, "num_access_files")
	num(1, "num_outbound_cmds is_host_login is_guest_login")
	num(511, "count srv_count")
	num(1, "serror_rate srv_serror_rate rerror_rate srv_rerror_rate same_srv_rate diff_srv_rate srv_diff_host_rate")
	num(255, "dst_host_count dst_host_srv_count")
	num(1, "dst_host_same_srv_rate dst_host_diff_srv_rate dst_host_same_src_port_rate dst_host_srv_diff_host_rate dst_host_serror_rate dst_host_srv_serror_rate dst_host_rerror_rate dst_host_srv_rerror_rate")
	s := Schema{Columns: cs, Label: "label", LabelAt: -1, Trim: ".", Intercept: true, Unit: true}
	switch task {
	case KDDNormal, "":
		s.Positive = []string{"normal"}
	case KDDDoS:
		s.Positive = kddDoS
	default:
		return s, badArg("KDDSchema", "task", task, "must be KDDNormal or KDDDoS")
	}
	return s, nil
}

// LoadKDD reads the KDD Cup 1999 10 % file (494,021 rows; gzip or plain) by KDDSchema. path "" means wherever FindData finds
// kdd/kddcup.data_10_percent.gz.
func LoadKDD(path string, task KDDTask) (*Data, error) {
	s, err := KDDSchema(task)
	if err != nil {
		return nil, err
	}
	p, err := locate(path, "kdd/kddcup.data_10_percent.gz")
	if err != nil {
		return nil, err
	}
	f, err := os.Open(p)
	if err != nil {
		return nil, fmt.Errorf("dp: LoadKDD: %w", err)
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(p, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("dp: LoadKDD: %s: %w", p, err)
		}
		defer z.Close()
		in = z
	}
	d, err := s.Read(in)
	if err != nil {
		return nil, fmt.Errorf("dp: LoadKDD: %s: %w", p, err)
	}
	return d, nil
}
